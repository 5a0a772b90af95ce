// The tools that agents could call, for people and scripts, and which of them fit a task. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// Fields: tool project agent source category documentation calls failures first_at last_at advised followed
/// followed_completed ignored_completed.
std::string catalogue_tool_json(const view::CatalogueTool& tool);
Table catalogue_table(const std::vector<const view::CatalogueTool*>& rows, TimeUs now,
                      Form form = Form::people);

/// A suggested tool for a task, with the reason as text and the counts behind it.
struct ToolSuggestion {
  view::CatalogueToolT tool;
  std::vector<std::string> matches;  // words of the task found in the tool's texts
  std::string reason;
};
/// At most `limit` tools, best first. A tool that several kinds of agents have counts once, with the sum of
/// its calls. The score is
///
///   2 x words of the task in its name, category or documentation
///   + log2(1 + calls) x share of calls that succeeded
///
/// Never suggests a tool with score 0, or one with 3 or more calls that all failed.
std::vector<ToolSuggestion> suggest_tools(const std::vector<view::CatalogueToolT>& tools,
                                          std::string_view task, std::size_t limit);
/// {"tools":[{tool ... score reason matches}]} in that order.
std::string tool_suggestions_json(const std::vector<ToolSuggestion>& suggestions);
Table tool_suggestions_table(const std::vector<ToolSuggestion>& suggestions);

}  // namespace luzia
