#include "projections/rows/catalogue_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/json_object.h"
#include "projections/rows/times.h"

namespace luzia {
namespace {

/// Shorter words of a task are ignored.
constexpr std::size_t kLeastWord = 3;
constexpr std::uint64_t kFailuresThatTell = 3;
/// Words that occur in every text.
constexpr std::array<std::string_view, 24> kCommonWords = {
    "all", "and", "any",  "are", "but",  "can",  "for",  "from", "has",  "into", "its",  "not",
    "one", "our", "that", "the", "them", "then", "this", "use",  "with", "you",  "your", "was"};

void write_tool(JsonObject& object, const view::CatalogueToolT& tool) {
  object.text("tool", tool.tool);
  object.text_or_null("project", tool.project);
  object.text_or_null("agent", tool.agent);
  object.text_or_null("source", tool.source);
  object.text_or_null("category", tool.category);
  object.text_or_null("documentation", tool.documentation);
  object.number("calls", tool.calls);
  object.number("failures", tool.failures);
  object.time("first_at", tool.first_us);
  object.time("last_at", tool.last_us);
  object.number("advised", tool.advised);
  object.number("followed", tool.followed);
  object.number("followed_completed", tool.followed_completed);
  object.number("ignored_completed", tool.ignored_completed);
}

using KnownTool = view::CatalogueTool;

constexpr ExportField<KnownTool> kWhatKnownToolIs[] = {
    {{"tool", kText, "Name of the tool."}, as_is<&KnownTool::tool>},
    {{"project", kText, "Project whose agents have it; nothing: any."}, as_is<&KnownTool::project>},
    {{"agent", kText, "Agent that has it; nothing: any."}, as_is<&KnownTool::agent>},
    {{"source", kText, "Who named it.", "FROM"}, as_is<&KnownTool::source>},
    {{"category", kText, "Kind of tool."}, as_is<&KnownTool::category>},
    {{"documentation", kText, "What it is for.", "ABOUT"}, as_is<&KnownTool::documentation>},
    {{"calls", kInteger, "How often it was called."}, as_is<&KnownTool::calls>},
    {{"failures", kInteger, "Calls that failed.", "FAILED"}, as_is<&KnownTool::failures>},
    {{"first_at", kText, "When it was first seen, RFC 3339, UTC."}, as_time<&KnownTool::first_us>},
    {{"last_at", kText, "When it was last seen, RFC 3339, UTC.", "SEEN"}, as_time<&KnownTool::last_us>},
    {{"advised", kInteger, "Runs whose prompt recommended it."}, as_is<&KnownTool::advised>},
    {{"followed", kInteger, "Of these, runs that used it."}, as_is<&KnownTool::followed>},
    {{"followed_completed", kInteger, "Of these, runs that completed.", "HELPED"},
     as_is<&KnownTool::followed_completed>},
    {{"ignored_completed", kInteger, "Runs that completed without using it."},
     as_is<&KnownTool::ignored_completed>},
};

/// Words in lower case, without those that are too short.
std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  const auto close = [&] {
    const bool common = std::ranges::find(kCommonWords, word) != kCommonWords.end();
    if (word.size() >= kLeastWord && !common) words.insert(word);
    word.clear();
  };
  for (const char c : lower_case(text)) {
    if (is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      word.push_back(c);
    } else {
      close();
    }
  }
  close();
  return words;
}

/// "3 of 4"; empty: of none.
std::string part_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::string() : fmt::format("{} of {}", part, whole);
}

std::string reason_of(const ToolSuggestion& suggestion) {
  std::string reason;
  for (const std::string& word : suggestion.matches) reason += (reason.empty() ? "is about " : ", ") + word;
  const view::CatalogueToolT& tool = suggestion.tool;
  if (tool.followed > 0) {
    reason += (reason.empty() ? "" : "; ") + fmt::format("{} of {} runs that followed this advice completed",
                                                         tool.followed_completed, tool.followed);
  }
  if (tool.calls == 0) return reason + (reason.empty() ? "" : "; ") + "not called yet";
  const std::string calls = tool.calls == 1 ? "called once" : fmt::format("called {} times", tool.calls);
  const std::string failures = tool.failures == 0 ? ", without a failure"
                               : tool.calls == 1  ? ", and failed"
                                                  : fmt::format(", {} of them failed", tool.failures);
  return reason + (reason.empty() ? "" : "; ") + calls + failures;
}

/// Merges the rows of each tool: takes the documented one, with the calls of all agents.
std::vector<view::CatalogueToolT> merged(const std::vector<view::CatalogueToolT>& tools) {
  std::map<std::pair<std::string, std::string>, view::CatalogueToolT> by_name;
  for (const view::CatalogueToolT& tool : tools) {
    auto [it, is_new] = by_name.try_emplace({tool.project, tool.tool}, tool);
    if (is_new) continue;
    view::CatalogueToolT& sum = it->second;
    // The row without an agent already has the calls of all agents.
    const bool whole = sum.agent.empty();
    sum.calls = whole || tool.agent.empty() ? std::max(sum.calls, tool.calls) : sum.calls + tool.calls;
    sum.failures =
        whole || tool.agent.empty() ? std::max(sum.failures, tool.failures) : sum.failures + tool.failures;
    sum.advised += tool.advised;
    sum.followed += tool.followed;
    sum.followed_completed += tool.followed_completed;
    sum.ignored_completed += tool.ignored_completed;
    if (sum.documentation.empty()) sum.documentation = tool.documentation;
    if (sum.category.empty()) sum.category = tool.category;
    sum.agent.clear();
    sum.last_us = std::max(sum.last_us, tool.last_us);
  }
  std::vector<view::CatalogueToolT> all;
  for (auto& [name, tool] : by_name) all.push_back(std::move(tool));
  return all;
}

}  // namespace

std::string catalogue_tool_json(const view::CatalogueTool& row) {
  view::CatalogueToolT tool;
  row.UnPackTo(&tool);
  JsonObject object;
  write_tool(object, tool);
  return object.take();
}

Table catalogue_table(const std::vector<const view::CatalogueTool*>& rows, TimeUs now, Form form) {
  if (form == Form::data) return data_table(kWhatKnownToolIs, rows);
  Table table({{"TOOL", Align::left, 10, true},
               {"PROJECT", Align::left, 6, true, 3},
               {"AGENT", Align::left, 6, false, 2},
               {"FROM", Align::left, 6, true, 1},
               {"CALLS", Align::right, 5},
               {"FAILED", Align::right, 6},
               {"FOLLOWED", Align::right, 8, false, 5},
               {"HELPED", Align::right, 6, false, 6},
               {"SEEN", Align::right, 4},
               {"ABOUT", Align::left, 8, true, 4}});
  for (const view::CatalogueTool* row : rows) {
    table.add({{std::string(text(row->tool())), Colour::bold},
               {std::string(text(row->project()))},
               {std::string(text(row->agent()))},
               {std::string(text(row->source()))},
               {fmt::to_string(row->calls())},
               {fmt::to_string(row->failures()), row->failures() > 0 ? Colour::yellow : Colour::none},
               {part_text(row->followed(), row->advised())},
               {part_text(row->followed_completed(), row->followed())},
               {format_duration(std::max<TimeUs>(0, now - row->last_us()))},
               {std::string(text(row->documentation()))}});
  }
  return table;
}

std::vector<ToolSuggestion> suggest_tools(const std::vector<view::CatalogueToolT>& tools,
                                          std::string_view task, std::size_t limit) {
  const std::set<std::string> wanted = words_in(task);
  std::vector<ToolSuggestion> found;
  for (view::CatalogueToolT& tool : merged(tools)) {
    if (tool.calls >= kFailuresThatTell && tool.failures >= tool.calls) continue;
    ToolSuggestion suggestion;
    for (const std::string& word : words_in(tool.tool + " " + tool.category + " " + tool.documentation)) {
      if (wanted.contains(word)) suggestion.matches.push_back(word);
    }
    const auto calls = static_cast<double>(tool.calls);
    const double good = tool.calls == 0 ? 0 : 1 - static_cast<double>(tool.failures) / calls;
    tool.score = 2 * static_cast<double>(suggestion.matches.size()) + std::log2(1 + calls) * good;
    if (tool.score <= 0) continue;
    suggestion.tool = std::move(tool);
    suggestion.reason = reason_of(suggestion);
    found.push_back(std::move(suggestion));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.tool.score > b.tool.score; });
  if (found.size() > limit) found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
  return found;
}

std::string tool_suggestions_json(const std::vector<ToolSuggestion>& suggestions) {
  JsonObject object;
  object.objects("tools", suggestions, [](JsonObject& object, const ToolSuggestion& each) {
    write_tool(object, each.tool);
    object.number("score", each.tool.score);
    object.text("reason", each.reason);
    object.strings("matches", each.matches);
  });
  return object.take();
}

Table tool_suggestions_table(const std::vector<ToolSuggestion>& suggestions) {
  Table table({{"TOOL", Align::left, 10, true},
               {"SCORE", Align::right, 5},
               {"PROJECT", Align::left, 6, true, 1},
               {.title = "WHY", .min_width = 12, .shrinks = true, .keeps_end = true}});
  for (const ToolSuggestion& each : suggestions) {
    table.add({{each.tool.tool, Colour::bold},
               {fmt::format("{:.1f}", each.tool.score)},
               {each.tool.project},
               {each.reason}});
  }
  return table;
}

}  // namespace luzia
