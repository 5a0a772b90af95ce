#include "projections/rows/spending_rows.h"

#include <fmt/format.h>

#include "projections/rows/json_object.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

/// "3.20 of 5.00"; without a budget only what was used.
std::string used_of(const std::string& used, const std::string& budget) {
  return budget.empty() ? used : used + " of " + budget;
}

bool is_lifted(const view::ProjectSpending& row, TimeUs now) {
  return row.lifted_until_us() != 0 && row.lifted_until_us() > now;
}

bool worth_showing(const view::ProjectSpending& row, TimeUs now) {
  return row.tokens_budget() != 0 || row.cost_budget_usd() > 0 || row.time_budget_us() != 0 ||
         is_stopped(row, now) || is_lifted(row, now);
}

Cell state_cell(const view::ProjectSpending& row, TimeUs now) {
  if (is_stopped(row, now))
    return {"stopped until " + local_time(row.until_us(), TimePart::minute), Colour::red};
  if (is_lifted(row, now)) return {"goes on over its budget", Colour::yellow};
  return {row.warned() != 0 ? "four fifths used" : "open", row.warned() != 0 ? Colour::yellow : Colour::none};
}

}  // namespace

bool is_stopped(const view::ProjectSpending& row, TimeUs now) {
  return row.until_us() != 0 && row.until_us() > now;
}

std::string spending_json(const view::ProjectSpending& row, TimeUs now) {
  JsonObject object;
  object.text_or_null("project", row.project());
  object.text("day", day_text(row.day()));
  object.number("tokens", row.tokens());
  object.number("cost_usd", row.cost_usd());
  object.seconds("time_seconds", row.time_us());
  object.number_or_null("tokens_budget", row.tokens_budget());
  object.number_or_null("cost_budget_usd", row.cost_budget_usd());
  object.number_or_null("time_budget_seconds", static_cast<double>(row.time_budget_us()) / kSecondUs);
  const bool stopped = is_stopped(row, now);
  object.boolean("stopped", stopped);
  object.time("until", stopped ? row.until_us() : 0);
  object.text_or_null("kind", stopped ? text(row.kind()) : std::string_view());
  object.boolean("lifted", is_lifted(row, now));
  return object.take();
}

Table spending_table(const std::vector<const view::ProjectSpending*>& rows, TimeUs now) {
  Table table({{.title = "BUDGET OF", .min_width = 10, .shrinks = true},
               {"DAY"},
               {.title = "TOKENS", .align = Align::right},
               {.title = "USD", .align = Align::right},
               {.title = "TIME", .align = Align::right},
               {.title = "", .shrinks = true}});
  for (const view::ProjectSpending* row : rows) {
    if (!worth_showing(*row, now)) continue;
    const auto time_text = [](std::uint64_t us) { return format_duration(static_cast<TimeUs>(us)); };
    const std::string tokens_budget = row->tokens_budget() == 0 ? "" : std::to_string(row->tokens_budget());
    const std::string cost_budget =
        row->cost_budget_usd() > 0 ? fmt::format("{:.2f}", row->cost_budget_usd()) : "";
    const std::string time_budget = row->time_budget_us() == 0 ? "" : time_text(row->time_budget_us());
    table.add(
        {{text(row->project()).empty() ? "all projects" : std::string(text(row->project())), Colour::bold},
         {day_text(row->day())},
         {used_of(std::to_string(row->tokens()), tokens_budget)},
         {used_of(fmt::format("{:.2f}", row->cost_usd()), cost_budget)},
         {used_of(time_text(row->time_us()), time_budget)},
         state_cell(*row, now)});
  }
  return table;
}

}  // namespace luzia
