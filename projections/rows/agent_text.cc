#include "projections/rows/agent_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/percent.h"
#include "engine/event/take_fact.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

bool has(const flatbuffers::String* value) {
  return value && value->size() > 0;
}

std::string todo_text(const schema::TodoReported& fact) {
  if (!fact.items()) return "todo list: empty";
  const auto done = std::count_if(fact.items()->begin(), fact.items()->end(), [](const auto* item) {
    return item->status() == schema::TodoStatus::completed;
  });
  std::string sentence = fact.whole() ? fmt::format("todo list: {} of {} done", done, fact.items()->size())
                                      : fmt::format("todo list: {} items changed", fact.items()->size());
  for (const auto* item : *fact.items()) {
    if (item->status() == schema::TodoStatus::in_progress && has(item->text())) {
      return with_note(std::move(sentence), item->text(), ", now ");
    }
  }
  return sentence;
}

std::string retry_text(const schema::AgentRetried& fact) {
  std::string sentence = "the agent's service refused";
  if (fact.api_status() != 0) sentence += fmt::format(" with {}", fact.api_status());
  if (fact.retry() != 0) sentence += fmt::format(", retry {}", fact.retry());
  if (fact.max_retries() != 0) sentence += fmt::format(" of {}", fact.max_retries());
  if (fact.delay_ms() != 0) {
    sentence += " in " + format_duration(static_cast<TimeUs>(fact.delay_ms()) * kMillisecondUs);
  }
  return with_note(std::move(sentence), fact.text());
}

std::string error_text(const schema::AgentErrorReported& fact) {
  std::string sentence = "the agent reports an error";
  if (has(fact.kind())) sentence += " " + fact.kind()->str();
  if (fact.api_status() != 0) sentence += fmt::format(" ({})", fact.api_status());
  return with_note(std::move(sentence), fact.text());
}

std::string conclusion_text(const schema::AgentConcluded& fact) {
  std::string sentence = fmt::format("the agent ended: {}", agent_outcome_name(fact.outcome()));
  // Claude Code calls a run that its service refused a success too.
  const bool adds =
      text(fact.subtype()) != agent_outcome_name(fact.outcome()) && text(fact.subtype()) != "success";
  if (has(fact.subtype()) && adds) sentence += fmt::format(" ({})", text(fact.subtype()));
  if (has(fact.deferred_tool())) sentence += ", a decision about " + fact.deferred_tool()->str() + " is open";
  return sentence;
}

std::string called_text(const schema::ToolCalled& fact) {
  const std::string by = has(fact.parent_call_id()) ? "a subagent calls " : "calls ";
  return with_note(by + std::string(text(fact.tool())), fact.subject());
}

std::string returned_text(const schema::ToolReturned& fact) {
  const std::string name = has(fact.tool()) ? fact.tool()->str() : "the call";
  if (fact.succeeded()) return name + " succeeded";
  std::string sentence = name + " failed";
  if (fact.exit_code()) sentence += fmt::format(" with exit code {}", *fact.exit_code());
  return with_note(std::move(sentence), has(fact.text()) ? fact.text() : fact.failure());
}

std::string limit_text(const schema::LimitReached& fact) {
  std::string sentence = with_note("usage limit reached", fact.limit());
  if (fact.resets_us() != 0) sentence += ", until " + format_rfc3339(fact.resets_us());
  return sentence;
}

std::string limit_near_text(const schema::LimitWarned& fact) {
  std::string sentence = with_note("usage limit comes near", fact.limit());
  if (fact.used_fraction()) sentence += ", " + whole_percent(*fact.used_fraction()) + " used";
  return sentence;
}

}  // namespace

std::string with_note(std::string sentence, const flatbuffers::String* note, std::string_view joint) {
  if (has(note)) sentence.append(joint).append(note->string_view());
  return sentence;
}

std::string tool_text(const schema::ToolEvent& tool) {
  return fact_or(
      std::string("something about a tool that this program does not know"), tool,
      [&](const schema::ToolCalled& fact) { return called_text(fact); },
      [&](const schema::ToolReturned& fact) { return returned_text(fact); },
      [&](const schema::ToolDenied& fact) {
        return with_note(fmt::format("{} was denied", text(fact.tool())), fact.reason());
      },
      [&](const schema::ToolCatalogued& fact) { return fmt::format("tool {} is known", text(fact.tool())); },
      [&](const schema::ToolsOffered& fact) {
        return fmt::format("offers {} tools and {} servers of the Model Context Protocol",
                           fact.tools() ? fact.tools()->size() : 0,
                           fact.servers() ? fact.servers()->size() : 0);
      });
}

std::string usage_text(const schema::UsageEvent& usage) {
  return fact_or(
      std::string("a usage report that this program does not know"), usage,
      [&](const schema::UsageReported& fact) {
        return fmt::format("used {} tokens in, {} out{}", fact.input_tokens(), fact.output_tokens(),
                           fact.partial() ? " so far" : "");
      },
      [&](const schema::LimitReached& fact) { return limit_text(fact); },
      [&](const schema::LimitWarned& fact) { return limit_near_text(fact); },
      [&](const schema::BudgetWarned& fact) {
        return fmt::format("{} of {} of its {} budget used", fact.used(), fact.budget(), text(fact.kind()));
      });
}

std::string issue_text(const schema::IssueEvent& issue) {
  return fact_or(
      std::string("something about an issue that this program does not know"), issue,
      [&](const schema::IssueDetected& fact) {
        return with_note(fmt::format("{} {} in line {}", severity_name(fact.severity()), text(fact.pattern()),
                                     fact.line_no()),
                         fact.line());
      },
      [&](const schema::IssueRepeated& fact) {
        return fmt::format("the same issue {} times more", fact.count());
      },
      [&](const schema::FixStarted& fact) { return with_note("a fix is tried by job", fact.job(), " "); },
      [&](const schema::FixEnded& fact) {
        return fmt::format("the fix by job {} {}", text(fact.job()),
                           fact.fixed() ? "helped" : "did not help");
      });
}

std::string agent_report_text(const schema::ReportEvent& report) {
  if (const auto* fact = report.fact_as_TodoReported()) return todo_text(*fact);
  if (const auto* fact = report.fact_as_AgentRetried()) return retry_text(*fact);
  if (const auto* fact = report.fact_as_AgentErrorReported()) return error_text(*fact);
  if (const auto* fact = report.fact_as_AgentConcluded()) return conclusion_text(*fact);
  return "a report that this program does not know";
}

std::string_view agent_outcome_name(schema::AgentOutcome outcome) {
  return schema::EnumNameAgentOutcome(outcome);
}

}  // namespace luzia
