// luzia-query tools: shows which tools agents called.
#include "projections/rows/usage_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/usage_by.h"

namespace luzia {
namespace {

Result<int> run_tool_use(Session& session) {
  const UsageBy by = usage_by(session.options().by, UsageBy::each);
  return run_sums<view::ToolDay, ToolStatistic>(
      session, wire::View::tools, [by](const auto& days) { return tool_statistics(days, by); },
      {"tools", tool_statistic_json,
       [by](const auto& rows, Form form) { return tool_statistics_table(rows, by, form); },
       "no tool was called"});
}

constexpr Option kToolUseOptions[] = {
    kProjectFilter,
    kAgentFilter,
    kSinceDay,
    kUntilFilter,
    kEndlessLimit,
    {"--by", ValueKind::choice, "WHAT", "group by tool, agent, model, project or day",
     "tool|agent|model|project|day"},
    kSortOption,
    kColumnsOption,
    kAtOption,
    kCsvOption};

}  // namespace

const Command kToolUseCommand = {
    "tools",
    "Add up",
    "[--by WHAT] [--sort FIELD] [--columns FIELD,...] [filters] [--at TIME]",
    "show which tools agents called, with failures and times",
    "",
    "luzia tools\n"
    "luzia tools --by tool --since 7d\n"
    "luzia tools --project web --by day --csv",
    kToolUseOptions,
    {},
    reading<run_tool_use>,
    kNeedsStore,
    kSumsOfDays,
    {},
    {},
    [](std::string_view by) {
      return tool_statistics_table({}, usage_by(by, UsageBy::each), Form::data).columns();
    }};

}  // namespace luzia
