#include "tests/scenarios/output_commands.h"

#include <gtest/gtest.h>

#include "engine/job/agent_facts.h"

namespace luzia {
namespace {

template <class Fact>
void add_finding(RecordOutput& output, Fact fact, const std::string& rule) {
  RecordOutput::Finding finding;
  finding.fact = domain_fact(std::move(fact));
  finding.evidence.kind = schema::EvidenceKind::inferred;
  finding.evidence.log_from = output.from;
  finding.evidence.log_to = output.appended->to;
  finding.evidence.rule = rule;
  output.findings.push_back(std::move(finding));
}

schema::AgentOutcome outcome_of(const std::string& name) {
  for (const schema::AgentOutcome outcome : schema::EnumValuesAgentOutcome()) {
    if (name == schema::EnumNameAgentOutcome(outcome)) return outcome;
  }
  ADD_FAILURE() << "no outcome " << name;
  return schema::AgentOutcome::none;
}

schema::UsageScope scope_of(const std::string& name) {
  for (const schema::UsageScope scope : schema::EnumValuesUsageScope()) {
    if (name == schema::EnumNameUsageScope(scope)) return scope;
  }
  ADD_FAILURE() << "no scope " << name;
  return schema::UsageScope::turn;
}

/// An agent's report about itself: session=ID, gone=yes (that session), unauthorized=yes, limit=NAME
/// resets=TIME, tokens=N cost=USD scope=SCOPE partial=yes, concluded=OUTCOME said=TEXT tool=NAME
/// deferred=CALL; warnings=N.
void add_agent_findings(const Step& step, RecordOutput& output) {
  if (step.values.contains("unauthorized")) {
    schema::AgentErrorReportedT error;
    error.api_status = 401;
    add_finding(output, std::move(error), "agent");
  }
  if (step.values.contains("gone")) {
    schema::AgentErrorReportedT error;
    error.kind = kSessionGone;
    add_finding(output, std::move(error), "agent");
  }
  if (step.values.contains("session")) {
    schema::SessionIdentifiedT session;
    session.session_id = step.value("session");
    add_finding(output, std::move(session), "agent");
  }
  if (step.values.contains("issue")) {
    schema::IssueDetectedT issue;
    issue.attempt = output.attempt;
    issue.fingerprint = step.value("issue");
    issue.pattern = "pattern";
    issue.auto_fixable = step.values.contains("fix_command");
    issue.fix_command = step.value("fix_command");
    add_finding(output, std::move(issue), "pattern");
  }
  if (step.values.contains("limit")) {
    schema::LimitReachedT limit;
    limit.attempt = output.attempt;
    limit.limit = step.value("limit");
    limit.resets_us = static_cast<TimeUs>(step.duration_ms("resets")) * kMillisecondUs;
    add_finding(output, std::move(limit), "agent");
  }
  if (step.values.contains("tokens") || step.values.contains("cost")) {
    schema::UsageReportedT usage;
    usage.attempt = output.attempt;
    usage.scope = usage.cost_scope = scope_of(step.value("scope", "turn"));
    usage.output_tokens = step.number("tokens");
    usage.partial = step.values.contains("partial");
    usage.session_id = step.value("of_session");
    usage.cost_usd = std::stod(step.value("cost", "0"));
    add_finding(output, std::move(usage), "agent");
  }
  if (step.values.contains("concluded")) {
    schema::AgentConcludedT concluded;
    concluded.attempt = output.attempt;
    concluded.outcome = outcome_of(step.value("concluded"));
    concluded.text = step.value("said");
    concluded.deferred_tool = step.value("tool");
    concluded.deferred_call_id = step.value("deferred");
    add_finding(output, std::move(concluded), "agent");
  }
}

/// Calls of a tool that changes files: edit=CALL; how one ended: edited=CALL, or denied=CALL.
void add_edits(const Step& step, RecordOutput& output) {
  if (step.values.contains("edit")) {
    schema::ToolCalledT called;
    called.attempt = output.attempt;
    called.call_id = step.value("edit");
    called.changes_files = true;
    add_finding(output, std::move(called), "agent");
  }
  for (const char* how : {"edited", "denied"}) {
    if (!step.values.contains(how)) continue;
    schema::ToolReturnedT returned;
    returned.attempt = output.attempt;
    returned.call_id = step.value(how);
    returned.succeeded = how == std::string_view("edited");
    returned.failure = returned.succeeded ? "" : "denied";
    add_finding(output, std::move(returned), "agent");
  }
}

void add_warnings(const Step& step, RecordOutput& output) {
  for (std::uint64_t i = 0; i < step.number("warnings"); ++i) {
    schema::AnnotationFoundT warning;
    warning.attempt = output.attempt;
    warning.severity = schema::Severity::warning;
    warning.message = "one of many";
    add_finding(output, std::move(warning), "github");
  }
}

}  // namespace

RecordOutput output_command(const Step& step, const JobState* job) {
  RecordOutput output;
  output.attempt = static_cast<std::uint32_t>(step.number("attempt", job != nullptr ? job->attempt : 1));
  output.from = step.number("from");
  output.from_generation = static_cast<std::uint32_t>(step.number("generation"));
  schema::OutputAppendedT appended;
  appended.attempt = output.attempt;
  appended.from = output.from;
  appended.to = step.number("to");
  appended.lines = step.number("lines");
  appended.checkpoint = std::make_unique<schema::CheckpointT>();
  appended.checkpoint->scanned_to = appended.to;
  output.appended = appended;
  if (step.values.contains("percent")) {
    schema::ProgressReportedT progress;
    progress.progress_percent = static_cast<double>(step.number("percent"));
    add_finding(output, std::move(progress), "osc-9-4");
  }
  add_edits(step, output);
  add_agent_findings(step, output);
  add_warnings(step, output);
  return output;
}

}  // namespace luzia
