#include "projections/costs.h"

#include <algorithm>

#include "engine/event/event.h"
#include "projections/tools.h"

namespace luzia {
namespace {

/// One model's part of a report: the growth of its own numbers, by which the report's growth is divided.
struct Part {
  std::string model;
  view::TokensT tokens;
  double cost_usd = 0;
  bool first = false;  // the job has not used this model before
};
using Parts = std::vector<Part>;

constexpr std::uint64_t view::TokensT::*kTokenFields[] = {
    &view::TokensT::input, &view::TokensT::output, &view::TokensT::cache_read, &view::TokensT::cache_write};

std::uint64_t beyond(std::uint64_t reported, std::uint64_t counted) {
  return reported > counted ? reported - counted : 0;
}

/// value * part / whole, rounded down, without overflow.
std::uint64_t share(std::uint64_t value, std::uint64_t part, std::uint64_t whole) {
  __extension__ using Wide = unsigned __int128;
  return whole == 0 ? 0 : static_cast<std::uint64_t>(static_cast<Wide>(value) * part / whole);
}

/// Divides `value` in proportion to the parts' weights; the first part gets the remainder.
void divide_tokens(Parts& parts, std::uint64_t value, std::uint64_t view::TokensT::*field) {
  std::uint64_t whole = 0, given = 0;
  for (const Part& part : parts) whole = add_bounded(whole, part.tokens.*field);
  for (Part& part : parts) {
    part.tokens.*field = share(value, std::min(part.tokens.*field, whole), whole);
    given = add_bounded(given, part.tokens.*field);
  }
  parts.front().tokens.*field += beyond(value, given);
}

void divide_cost(Parts& parts, double value) {
  double whole = 0, given = 0;
  for (const Part& part : parts) whole += part.cost_usd;
  for (Part& part : parts) {
    part.cost_usd = whole > 0 ? value * (part.cost_usd / whole) : 0;
    given += part.cost_usd;
  }
  parts.front().cost_usd += value - given;
}

class CostsReport : public JobReport {
 public:
  explicit CostsReport(const ViewReaderSource& rows) : days_(kCostsView, rows), used_(kCostsView, rows) {}
  std::vector<ProjectionInfo> views() const override { return {kCostsView}; }

  void note(const JobStep& step) override {
    const auto* usage = step.event.payload_as_UsageEvent();
    const auto* fact = usage ? usage->fact_as_UsageReported() : nullptr;
    if (!step.job || !fact) return;
    Parts parts = parts_of(*step.job, *fact);
    for (const auto field : kTokenFields) divide_tokens(parts, step.used.tokens.*field, field);
    divide_cost(parts, step.used.cost_usd);
    for (const Part& part : parts) add(*step.job, step.event.time_us(), part);
  }
  void flush(RowBatch& batch) override {
    days_.flush(batch);
    used_.flush(batch);
  }

 private:
  Parts parts_of(const view::JobT& job, const schema::UsageReported& fact) {
    Parts parts;
    if (fact.by_model()) {
      for (const auto* model : *fact.by_model()) parts.push_back(grown(job, fact, *model));
    }
    if (!parts.empty()) return parts;
    Part& part = parts.emplace_back();
    part.model = text(fact.model()).empty() ? job.model : std::string(text(fact.model()));
    part.first = used(job, fact, part.model).second;
    return parts;
  }

  Part grown(const view::JobT& job, const schema::UsageReported& fact, const schema::ModelUsage& model) {
    Part part;
    part.model = text(model.model());
    auto [row, first] = used(job, fact, part.model);
    part.first = first;
    const bool tokens_total = fact.scope() != schema::UsageScope::turn;
    const bool cost_total = fact.cost_scope() != schema::UsageScope::turn;
    const view::TokensT& known = *row->tokens;
    part.tokens.input = beyond(tokens_of(model.input_tokens()), tokens_total ? known.input : 0);
    part.tokens.output = beyond(tokens_of(model.output_tokens()), tokens_total ? known.output : 0);
    part.tokens.cache_read =
        beyond(tokens_of(model.cache_read_tokens()), tokens_total ? known.cache_read : 0);
    part.tokens.cache_write =
        beyond(tokens_of(model.cache_write_tokens()), tokens_total ? known.cache_write : 0);
    part.cost_usd = std::max(0.0, cost_of(model.cost_usd()) - (cost_total ? row->cost_usd : 0));
    add_tokens(*row->tokens, part.tokens);
    row->cost_usd += part.cost_usd;
    return part;
  }

  /// What the job's session or attempt has used of the model, and whether this is the job's first use of it.
  std::pair<view::SessionUsageT*, bool> used(const view::JobT& job, const schema::UsageReported& fact,
                                             std::string_view model) {
    const std::string key = std::string(kBehindDays) + joined_key({job.id, model});
    const bool first = used_.find(key) == nullptr;
    view::SessionUsageT& row = used_.edit(key);
    const bool whole_session = fact.scope() == schema::UsageScope::session_total ||
                               fact.cost_scope() == schema::UsageScope::session_total;
    std::string session(text(fact.session_id()).empty() ? job.session_id : text(fact.session_id()));
    if (!whole_session) session += "/" + std::to_string(fact.attempt());
    if (first || row.session_id != session) {
      row.session_id = std::move(session);
      row.tokens = std::make_unique<view::TokensT>();
      row.cost_usd = 0;
    }
    return {&row, first};
  }

  void add(const view::JobT& job, TimeUs time, const Part& part) {
    const auto number = static_cast<std::uint32_t>(std::max<TimeUs>(0, time) / kDayUs);
    view::CostDayT& day = days_.edit(day_key(number, {job.project, job.agent, part.model}));
    if (day.day == 0) {
      day.day = number;
      day.project = job.project;
      day.agent = job.agent;
      day.model = part.model;
      day.tokens = std::make_unique<view::TokensT>();
    }
    if (part.first) ++day.jobs;
    add_tokens(*day.tokens, part.tokens);
    day.cost_usd += part.cost_usd;
  }

  RowTable<view::CostDay> days_;
  RowTable<view::SessionUsage> used_;
};

}  // namespace

std::unique_ptr<JobReport> make_costs_report(const ViewReaderSource& rows) {
  return std::make_unique<CostsReport>(rows);
}

}  // namespace luzia
