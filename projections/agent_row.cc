#include "projections/agent_row.h"

#include <algorithm>

#include "engine/job/agent_facts.h"
#include "projections/rows/agent_text.h"

namespace luzia {
namespace {

/// Rows are for a quick look; the event has the whole text.
constexpr std::size_t kMaxOutcomeBytes = 1024;
constexpr std::size_t kMaxItemBytes = 200;

std::unique_ptr<schema::TodoItemT> item_of(const schema::TodoItem& said) {
  auto item = std::make_unique<schema::TodoItemT>();
  item->id = text(said.id());
  item->text = text(said.text()).substr(0, kMaxItemBytes);
  item->status = said.status();
  return item;
}

/// A complete list names its items in order; a change names one item by its id.
void change_item(view::JobT& row, const schema::TodoItem& said) {
  const std::string_view id = text(said.id());
  const auto it = std::ranges::find_if(row.todo, [&](const auto& item) { return item->id == id; });
  if (said.status() == schema::TodoStatus::removed) {
    if (it != row.todo.end()) row.todo.erase(it);
  } else if (it == row.todo.end()) {
    if (row.todo.size() < kMaxTodoItems) row.todo.push_back(item_of(said));
  } else {
    (*it)->status = said.status();
    const std::string_view words = text(said.text());
    if (!words.empty()) (*it)->text = words.substr(0, kMaxItemBytes);
  }
}

void set_progress(view::JobT& row) {
  if (row.todo.empty()) return;
  const auto has = [](schema::TodoStatus status) {
    return [status](const auto& item) { return item->status == status; };
  };
  const auto done = std::ranges::count_if(row.todo, has(schema::TodoStatus::completed));
  const auto now = std::ranges::find_if(row.todo, has(schema::TodoStatus::in_progress));
  if (!row.progress) row.progress = std::make_unique<view::ProgressT>();
  view::ProgressT& progress = *row.progress;
  progress.percent = 100.0 * static_cast<double>(done) / static_cast<double>(row.todo.size());
  progress.total_steps = static_cast<std::uint32_t>(row.todo.size());
  // The current step comes after those that are done.
  progress.current_step = static_cast<std::uint32_t>(done) + (now != row.todo.end() ? 1U : 0U);
  progress.step_name = now != row.todo.end() ? (*now)->text : std::string();
}

void count_report(view::JobT& row, const schema::UsageReported& fact, UsageGrowth& used) {
  schema::UsageReportedT native;
  fact.UnPackTo(&native);
  if (row.session_id.empty()) row.session_id = native.session_id;
  used = count_usage(row.sessions, native, row.session_id);
  if (!row.tokens) row.tokens = std::make_unique<view::TokensT>();
  add_tokens(*row.tokens, used.tokens);
  if (fact.cost_usd()) row.cost_usd = row.cost_usd.value_or(0) + used.cost_usd;
  if (!native.model.empty()) row.model = native.model;
  row.usage_partial = row.usage_partial || native.partial;
}

}  // namespace

void forget_agent_facts(view::JobT& row) {
  row.todo.clear();
  row.outcome = schema::AgentOutcome::none;
  row.outcome_text.clear();
  row.limit.clear();
  begin_attempt_usage(row.sessions);
}

void fold_todo(view::JobT& row, const schema::TodoReported& fact) {
  if (fact.whole()) row.todo.clear();
  if (fact.items()) {
    for (const auto* said : *fact.items()) {
      if (!fact.whole()) {
        change_item(row, *said);
      } else if (said->status() != schema::TodoStatus::removed && row.todo.size() < kMaxTodoItems) {
        row.todo.push_back(item_of(*said));
      }
    }
  }
  set_progress(row);
}

void fold_conclusion(view::JobT& row, const schema::AgentConcluded& fact) {
  row.outcome = fact.outcome();
  row.outcome_text = text(fact.text()).substr(0, kMaxOutcomeBytes);
  if (fact.outcome() == schema::AgentOutcome::usage_limit) name_limit(row.limit, "");
}

void fold_tool(view::JobT& row, const schema::ToolEvent& tool) {
  if (tool.fact_as_ToolCalled()) ++row.tool_calls;
  if (tool.fact_as_ToolDenied()) ++row.tool_denials;
  const auto* returned = tool.fact_as_ToolReturned();
  // A denial has its own event.
  if (returned && !returned->succeeded() && text(returned->failure()) != "denied") ++row.tool_failures;
}

void note_unreported_usage(view::JobT& row) {
  const bool used = std::ranges::any_of(row.sessions, [](const auto& each) {
    return each->session_id.empty() && each->tokens && each->tokens->input + each->tokens->output > 0;
  });
  if (used && row.outcome == schema::AgentOutcome::none) row.usage_partial = true;
}

void fold_usage(view::JobT& row, const schema::UsageEvent& usage, UsageGrowth& used) {
  if (const auto* reported = usage.fact_as_UsageReported()) return count_report(row, *reported, used);
  if (const auto* reached = usage.fact_as_LimitReached())
    return name_limit(row.limit, text(reached->limit()));
  if (usage.fact_as_BudgetWarned() == nullptr) return;
  ++row.warnings;
  row.last_warning = usage_text(usage);
}

}  // namespace luzia
