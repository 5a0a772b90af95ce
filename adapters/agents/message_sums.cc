#include "adapters/agents/message_sums.h"

#include <algorithm>

#include "engine/job/job_budget.h"
#include "engine/job/usage_sum.h"

namespace luzia {
namespace {

constexpr auto kTokenFields = {&schema::UsageReportedT::input_tokens, &schema::UsageReportedT::output_tokens,
                               &schema::UsageReportedT::cache_read_tokens,
                               &schema::UsageReportedT::cache_write_tokens};

schema::ModelUsageT& part_of(schema::UsageReportedT& sum, const std::string& model) {
  const auto known =
      std::ranges::find_if(sum.by_model, [&](const auto& each) { return each->model == model; });
  if (known != sum.by_model.end()) return **known;
  sum.by_model.push_back(std::make_unique<schema::ModelUsageT>());
  sum.by_model.back()->model = model;
  return *sum.by_model.back();
}

}  // namespace

const AgentFormat* owner_of(const JsonLine& line, const std::vector<FormatPtr>& formats) {
  if (!line.object().is_object()) return nullptr;
  for (const auto& format : formats) {
    if (format->owns(line)) return format.get();
  }
  return nullptr;
}

void MessageSums::add(const Line& line) {
  // Within a string, the quotes would be escaped.
  if (line.text.find(R"("usage")") == std::string_view::npos) return;
  const JsonLine json(line);
  const AgentFormat* const format = owner_of(json, formats_);
  if (format == nullptr || !format->counts_messages()) return;
  if (auto used = format->used_by_message(json)) {
    bound_usage(used->usage);
    auto& known = messages_.try_emplace(std::move(used->message), used->usage).first->second;
    for (const auto field : kTokenFields) known.*field = std::max(known.*field, used->usage.*field);
    last_.rule = format->name();
    last_.log_from = line.offset;
    last_.log_to = line.end;
    reported_ = false;
    return;
  }
  std::vector<RecordOutput::Finding> findings;
  LineFindings found(line, format->name(), findings);
  format->find(json, found);
  reported_ = reported_ || reports_usage(findings);
}

std::optional<RecordOutput::Finding> MessageSums::sum() const {
  if (reported_) return std::nullopt;
  schema::UsageReportedT sum;
  sum.partial = true;
  sum.scope = sum.cost_scope = schema::UsageScope::attempt_total;
  for (const auto& [id, used] : messages_) {
    sum.session_id = used.session_id;
    schema::ModelUsageT& part = part_of(sum, used.model);
    for (const auto field : kTokenFields) sum.*field = add_bounded(sum.*field, used.*field);
    part.input_tokens = add_bounded(part.input_tokens, used.input_tokens);
    part.output_tokens = add_bounded(part.output_tokens, used.output_tokens);
    part.cache_read_tokens = add_bounded(part.cache_read_tokens, used.cache_read_tokens);
    part.cache_write_tokens = add_bounded(part.cache_write_tokens, used.cache_write_tokens);
  }
  if (sum.by_model.size() == 1) sum.model = sum.by_model.front()->model;
  const bool used_any = std::ranges::any_of(kTokenFields, [&](auto field) { return sum.*field != 0; });
  if (!used_any) return std::nullopt;
  return RecordOutput::Finding{domain_fact(std::move(sum)), last_};
}

}  // namespace luzia
