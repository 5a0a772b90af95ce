// The rules of every decoder of agents' output, whatever a line holds: evidence lies within the line; texts
// are bounded and valid UTF-8; there are few findings; events stay below their size limit. The same holds for
// the line cut anywhere.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agents/agent_lines.h"
#include "adapters/agents/decoders.h"
#include "engine/base/utf8.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {

inline constexpr std::uint64_t kFuzzOffset = 77;

inline void check_texts(std::size_t limit, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    require(text.size() <= limit, "texts are bounded");
    require(bounded_utf8(text, limit) == text, "texts are valid UTF-8");
  }
}

inline void check_fact(const schema::ToolFactUnion& fact) {
  if (const auto* called = fact.AsToolCalled()) {
    check_texts(kMaxName, {called->call_id, called->tool, called->parent_call_id});
    check_texts(kMaxSubject, {called->subject});
    require(called->files.size() <= kMaxFiles, "lists are bounded");
    for (const auto& file : called->files) check_texts(kMaxPath, {file});
    require(!called->call_id.empty() && called->at_us >= 0, "a call has an id and no time before 1970");
  }
  if (const auto* returned = fact.AsToolReturned()) {
    check_texts(kMaxName, {returned->call_id, returned->tool, returned->failure});
    check_texts(kMaxReason, {returned->text});
    require(returned->succeeded == returned->failure.empty(), "a failure has a kind, a success none");
  }
  if (const auto* denied = fact.AsToolDenied()) {
    check_texts(kMaxReason, {denied->call_id, denied->tool, denied->reason});
  }
}

inline void check_fact(const schema::ReportFactUnion& fact) {
  if (const auto* session = fact.AsSessionIdentified()) {
    check_texts(kMaxName, {session->session_id, session->model, session->agent_version});
  }
  if (const auto* todo = fact.AsTodoReported()) {
    require(todo->items.size() <= kMaxTodos, "lists are bounded");
    for (const auto& item : todo->items) check_texts(kMaxSubject, {item->id, item->text});
  }
  if (const auto* retried = fact.AsAgentRetried()) check_texts(kMaxReason, {retried->text});
  if (const auto* error = fact.AsAgentErrorReported())
    check_texts(kMaxReason, {error->where, error->kind, error->text});
  if (const auto* concluded = fact.AsAgentConcluded()) {
    require(concluded->outcome != schema::AgentOutcome::none, "an end has an outcome");
    check_texts(kMaxAnswer,
                {concluded->subtype, concluded->text, concluded->deferred_call_id, concluded->deferred_tool});
    check_texts(kMaxInput, {concluded->deferred_input});
  }
  if (const auto* progress = fact.AsProgressReported()) {
    const double percent = progress->progress_percent.value_or(0);
    require(percent >= 0 && percent <= 100, "percent is 0 to 100");
  }
}

inline void check_fact(const schema::UsageFactUnion& fact) {
  if (const auto* usage = fact.AsUsageReported()) {
    check_texts(kMaxName, {usage->model, usage->session_id});
    require(usage->by_model.size() <= kMaxModels, "lists are bounded");
    for (const auto& part : usage->by_model) check_texts(kMaxName, {part->model});
  }
  if (const auto* reached = fact.AsLimitReached()) {
    check_texts(kMaxReason, {reached->limit, reached->text});
    require(reached->resets_us >= 0, "no limit ends before 1970");
  }
  if (const auto* warned = fact.AsLimitWarned()) {
    const double used = warned->used_fraction.value_or(0);
    require(used >= 0 && used <= 1, "a fraction is 0 to 1");
  }
}

inline void check_fact(const schema::OutputFactUnion&) {}
inline void check_fact(const schema::IssueFactUnion&) {
  require(false, "decoders look for no known problems");
}

inline void check_line(const LineDecoder& decoder, std::string_view text, bool cut) {
  const Line line{text, kFuzzOffset, kFuzzOffset + text.size() + (cut ? 0 : 1), 1, cut};
  std::vector<RecordOutput::Finding> findings;
  std::string within;
  const bool own_format = decoder.decode(line, findings, within);
  require(findings.size() <= 3 * kMaxBlocks, "findings of a line are few");
  for (const auto& finding : findings) {
    require(finding.evidence.log_from >= kFuzzOffset && finding.evidence.log_from < finding.evidence.log_to &&
                finding.evidence.log_to <= kFuzzOffset + text.size(),
            "evidence lies within the line");
    std::visit([](const auto& fact) { check_fact(fact); }, finding.fact);
  }
  if (own_format) {
    require(within.empty() || within.back() == '\n', "pieces end with a newline");
    require(within.size() <= 3 * text.size() + kMaxBlocks, "text within is no longer than the line makes it");
    require(bounded_utf8(within, within.size()) == within, "text within is valid UTF-8");
  } else {
    require(within.empty(), "no text within a line that is looked through as it stands");
  }
}

inline void check_readable(const LineDecoder& decoder, std::string_view text) {
  const auto shown = decoder.readable(text);
  require(!shown || bounded_utf8(*shown, shown->size()) == *shown, "what is shown is valid UTF-8");
}

/// Decodes the input as one line, and as the kept beginning of a longer line, with `format` and "auto".
inline void check_decoder(std::string_view format, std::string_view text) {
  static const LineDecoderSource decoders = line_decoders();
  for (const std::string_view name : {format, std::string_view("auto")}) {
    const auto decoder = decoders(name);
    check_line(*decoder, text, false);
    check_readable(*decoder, text);
    check_line(*decoder, text.substr(0, text.size() - text.size() / 4), true);
  }
}

}  // namespace luzia
