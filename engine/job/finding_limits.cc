#include "engine/job/finding_limits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <type_traits>

#include "engine/job/usage_sum.h"

namespace luzia {
namespace {

constexpr std::string_view kProgress = "progress", kTodo = "todo", kIssueRepeat = "issue repeat",
                           kToolCall = "tool call", kToolResult = "tool result", kToolDenial = "tool denial";

std::string_view kind_of(schema::OutputFact type, schema::Severity severity) {
  if (type != schema::OutputFact::AnnotationFound) return {};
  if (severity >= schema::Severity::error) return "error";
  return severity == schema::Severity::warning ? "warning" : "notice";
}

std::string_view kind_of(schema::ReportFact type) {
  using schema::ReportFact;
  switch (type) {
    case ReportFact::ProgressReported:
      return kProgress;
    case ReportFact::TodoReported:
      return kTodo;
    case ReportFact::AgentRetried:
      return "retry";
    case ReportFact::AgentErrorReported:
      return "agent error";
    case ReportFact::NONE:
    case ReportFact::TaskStarted:
    case ReportFact::TaskCompleted:
    case ReportFact::TaskQueued:
    case ReportFact::WarningReported:
    case ReportFact::TaskFailed:
    case ReportFact::SystemAlertReported:
    case ReportFact::SessionIdentified:
    case ReportFact::AgentConcluded:
      return {};
  }
  return {};
}

std::string_view kind_of(schema::ToolFact type) {
  using schema::ToolFact;
  switch (type) {
    case ToolFact::ToolCalled:
      return kToolCall;
    case ToolFact::ToolReturned:
      return kToolResult;
    case ToolFact::ToolDenied:
      return kToolDenial;
    case ToolFact::ToolsOffered:
      return "list of tools";
    case ToolFact::NONE:
    case ToolFact::ToolCatalogued:
      return {};
  }
  return {};
}

std::string_view kind_of(schema::UsageFact type) {
  return type == schema::UsageFact::LimitWarned ? "limit warning" : std::string_view();
}

std::string_view kind_of(schema::IssueFact type) {
  if (type == schema::IssueFact::IssueDetected) return "issue";
  return type == schema::IssueFact::IssueRepeated ? kIssueRepeat : std::string_view();
}

struct KindOfFact {
  std::string_view operator()(const schema::OutputFactUnion& fact) const {
    const auto* annotation = fact.AsAnnotationFound();
    return kind_of(fact.type, annotation != nullptr ? annotation->severity : schema::Severity::info);
  }
  std::string_view operator()(const auto& fact) const { return kind_of(fact.type); }
};

view::FindingTallyT& tally_of(JobState& state, std::string_view kind) {
  const auto known =
      std::ranges::find_if(state.findings, [&](const auto& each) { return each->kind == kind; });
  if (known != state.findings.end()) return **known;
  state.findings.push_back(std::make_unique<view::FindingTallyT>());
  state.findings.back()->kind = kind;
  return *state.findings.back();
}

NewEvent limited(const JobState& state, std::string_view kind, std::uint32_t kept, std::uint64_t omitted) {
  schema::FindingsLimitedT fact;
  fact.attempt = state.attempt;
  fact.kind = kind;
  fact.kept = kept;
  fact.omitted = omitted;
  return job_event(state.job, std::move(fact));
}

auto bounded(auto fact) {
  if constexpr (std::is_same_v<decltype(fact), schema::UsageFactUnion>) {
    if (auto* usage = fact.AsUsageReported()) bound_usage(*usage);
  }
  return fact;
}

NewEvent finding_event(const std::string& job, const RecordOutput::Finding& finding) {
  const std::string stream = "job/" + job;
  NewEvent event =
      std::visit([&stream](auto fact) { return new_event(stream, bounded(std::move(fact))); }, finding.fact);
  event.evidence = std::make_unique<schema::EvidenceT>(finding.evidence);
  return event;
}

/// A partial report that adds nothing. A daemon that starts between the end of the output and the end of the
/// attempt reads the output again and finds the same.
bool repeats_usage(const JobState& state, const RecordOutput::Finding& finding) {
  const auto* usage = std::get_if<schema::UsageFactUnion>(&finding.fact);
  const auto* fact = usage != nullptr ? usage->AsUsageReported() : nullptr;
  return fact != nullptr && fact->partial && is_counted(state.sessions, *fact, state.session_id);
}

/// Of one kind: how many findings were recorded before, and the index of the last one in this command.
struct Standing {
  std::uint32_t kept = 0;
  std::size_t last = 0;
};

std::map<std::string_view, Standing> standings(const JobState& state, const RecordOutput& command) {
  std::map<std::string_view, Standing> all;
  for (const auto& tally : state.findings) all[tally->kind].kept = tally->kept;
  for (std::size_t i = 0; i < command.findings.size(); ++i) all[limited_kind(command.findings[i])].last = i;
  return all;
}

}  // namespace

std::string_view limited_kind(const RecordOutput::Finding& finding) {
  return std::visit(KindOfFact{}, finding.fact);
}

std::string_view limited_kind(const schema::Event& event) {
  // Published reports and the daemon's own facts were not found in output.
  if (event.evidence() == nullptr || event.evidence()->kind() != schema::EvidenceKind::inferred) return {};
  if (const auto* output = event.payload_as_OutputEvent()) {
    const auto* annotation = output->fact_as_AnnotationFound();
    return kind_of(output->fact_type(),
                   annotation != nullptr ? annotation->severity() : schema::Severity::info);
  }
  if (const auto* report = event.payload_as_ReportEvent()) return kind_of(report->fact_type());
  if (const auto* tool = event.payload_as_ToolEvent()) return kind_of(tool->fact_type());
  if (const auto* usage = event.payload_as_UsageEvent()) return kind_of(usage->fact_type());
  if (const auto* issue = event.payload_as_IssueEvent()) return kind_of(issue->fact_type());
  return {};
}

std::uint32_t most_findings(std::string_view kind) {
  if (kind.empty()) return std::numeric_limits<std::uint32_t>::max();
  const bool step = kind == kTodo || kind == kToolCall || kind == kToolResult || kind == kToolDenial;
  return step ? kMostSteps : kMostFindings;
}

bool is_state(std::string_view kind) {
  return kind == kProgress || kind == kTodo;
}

std::uint64_t weight_of(const RecordOutput::Finding& finding) {
  const auto* issue = std::get_if<schema::IssueFactUnion>(&finding.fact);
  const auto* repeated = issue != nullptr ? issue->AsIssueRepeated() : nullptr;
  return repeated != nullptr ? repeated->count : 1;
}

void count_omitted(FindingCounts& counts, std::string_view kind, std::uint64_t more) {
  const auto known = std::ranges::find_if(counts, [&](const auto& each) { return each->kind == kind; });
  if (known != counts.end()) {
    (*known)->count = add_bounded((*known)->count, more);
    return;
  }
  counts.push_back(std::make_unique<schema::FindingCountT>());
  counts.back()->kind = kind;
  counts.back()->count = more;
}

std::uint64_t omitted_of(const schema::OutputAppended& fact, std::string_view kind) {
  std::uint64_t count = 0;
  if (fact.omitted() == nullptr) return count;
  for (const auto* each : *fact.omitted()) {
    if (kind.empty() || text(each->kind()) == kind) count = add_bounded(count, each->count());
  }
  return count;
}

void keep_findings(const JobState& state, const RecordOutput& command, FindingCounts& omitted,
                   std::vector<NewEvent>& events) {
  auto standing = standings(state, command);
  for (std::size_t i = 0; i < command.findings.size(); ++i) {
    const RecordOutput::Finding& finding = command.findings[i];
    if (repeats_usage(state, finding)) continue;
    const std::string_view kind = limited_kind(finding);
    Standing& known = standing[kind];
    const bool fits = known.kept < most_findings(kind) || (is_state(kind) && known.last == i);
    if (!fits) {
      count_omitted(omitted, kind, weight_of(finding));
      continue;
    }
    if (!kind.empty()) ++known.kept;
    events.push_back(finding_event(state.job, finding));
  }
  for (const auto& each : omitted) {
    const bool told = std::ranges::any_of(
        state.findings, [&](const auto& tally) { return tally->kind == each->kind && tally->omitted > 0; });
    if (!told) events.push_back(limited(state, each->kind, most_findings(each->kind), 0));
  }
}

void report_omitted(const JobState& state, std::vector<NewEvent>& events) {
  for (const auto& tally : state.findings) {
    if (tally->omitted > 0) events.push_back(limited(state, tally->kind, tally->kept, tally->omitted));
  }
}

void evolve_findings(JobState& state, const schema::Event& event) {
  if (const std::string_view kind = limited_kind(event); !kind.empty()) ++tally_of(state, kind).kept;
  const auto* output = event.payload_as_OutputEvent();
  const auto* appended = output != nullptr ? output->fact_as_OutputAppended() : nullptr;
  if (appended == nullptr || appended->omitted() == nullptr) return;
  for (const auto* each : *appended->omitted()) {
    auto& tally = tally_of(state, text(each->kind()));
    tally.omitted = add_bounded(tally.omitted, each->count());
  }
}

}  // namespace luzia
