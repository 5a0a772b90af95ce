// The tools that agents could call, as people and scripts see them, and which of them suit a task. Any
// thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// tool project agent source category documentation calls failures first_at last_at.
std::string catalogue_tool_json(const view::CatalogueTool& tool);
Table catalogue_table(const std::vector<const view::CatalogueTool*>& rows, TimeUs now,
                      Form form = Form::people);

/// A tool for a task, and why: in words, with the counts that it follows from.
struct ToolSuggestion {
  view::CatalogueToolT tool;
  std::vector<std::string> matches;  // words of the task that the tool's texts hold
  std::string reason;
};
/// The best first, at most `limit`. A tool that agents of several kinds have counts once, with the sum of
/// their calls. Its score is
///
///   2 x words of the task in its name, category or documentation
///   + log2(1 + calls) x part of them that succeeded
///
/// and one whose every call failed (3 or more) is never suggested; neither is one of score 0.
std::vector<ToolSuggestion> suggest_tools(const std::vector<view::CatalogueToolT>& tools,
                                          std::string_view task, std::size_t limit);
/// {"tools":[{tool ... score reason matches}]} in that order.
std::string tool_suggestions_json(const std::vector<ToolSuggestion>& suggestions);
Table tool_suggestions_table(const std::vector<ToolSuggestion>& suggestions);

}  // namespace luzia
