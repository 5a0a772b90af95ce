// Solutions, facts and tools as shown to people and scripts; which tools are suggested for a task.
#include "projections/rows/learning_rows.h"

#include <gtest/gtest.h>

#include "projections/rows/catalogue_rows.h"
#include "tests/projections/rows/shown_rows.h"

namespace luzia {
namespace {

view::CatalogueToolT tool(const std::string& name, std::uint64_t calls, std::uint64_t failures,
                          const std::string& about = "", const std::string& agent = "") {
  view::CatalogueToolT row;
  row.project = "web";
  row.tool = name;
  row.calls = calls;
  row.failures = failures;
  row.documentation = about;
  row.agent = agent;
  return row;
}

std::vector<std::string> names(const std::vector<ToolSuggestion>& suggestions) {
  std::vector<std::string> list;
  for (const auto& each : suggestions) list.push_back(each.tool.tool);
  return list;
}

using Names = std::vector<std::string>;

TEST(ToolSuggestions, TaskWordsOutrankHabit) {
  const auto found = suggest_tools({tool("grep", 40, 0), tool("migrate", 0, 0, "runs database migrations"),
                                    tool("idle", 0, 0), tool("psql", 3, 1, "a shell for the database")},
                                   "Run the DATABASE migrations again", 10);
  EXPECT_EQ(names(found), (Names{"grep", "migrate", "psql"}));
  EXPECT_EQ(found[1].matches, (Names{"database", "migrations"}));
  EXPECT_EQ(found[1].reason, "is about database, migrations; not called yet");
  EXPECT_EQ(found[2].reason, "is about database; called 3 times, 1 of them failed");
  EXPECT_EQ(found[0].reason, "called 40 times, without a failure");
  EXPECT_EQ(suggest_tools({tool("grep", 1, 0)}, "grep", 1).front().reason,
            "is about grep; called once, without a failure");
}

TEST(ToolSuggestions, ToolsThatAlwaysFailedAreNotSuggested) {
  EXPECT_EQ(names(suggest_tools({tool("database", 3, 3), tool("base", 2, 2, "database")}, "database", 10)),
            Names{"base"});
}

TEST(ToolSuggestions, ToolOfSeveralAgentsCountsOnce) {
  const auto found = suggest_tools(
      {tool("Bash", 10, 0, "", "claude"), tool("Bash", 5, 5, "", "gemini"), tool("Read", 1, 0)}, "x", 10);
  EXPECT_EQ(names(found), (Names{"Bash", "Read"}));
  EXPECT_EQ(found[0].tool.calls, 15U);
  EXPECT_EQ(found[0].tool.failures, 5U);
  EXPECT_EQ(suggest_tools({tool("a", 1, 0), tool("b", 1, 0)}, "x", 1).size(), 1U);
}

TEST(LearningRows, SolutionHasEveryField) {
  view::SolutionT row;
  row.id = "s-1";
  row.problem = "it \x1b[31mbroke";
  row.text = "fix it\nthen go on";
  row.tags = {"a", "b"};
  row.confidence = 0.75;
  row.stated_confidence = 0.5;
  row.helped = 3;
  row.failed = 1;
  row.created_us = 1'767'225'600'000'000;
  const std::string bytes = row_bytes(row);
  const auto& stored = *verified_row<view::Solution>(as_bytes(bytes));
  EXPECT_EQ(solution_json(stored),
            R"({"id":"s-1","project":null,"problem":"it \u001b[31mbroke","text":"fix it\nthen go on",)"
            R"("references":[],"tags":["a","b"],"confidence":0.75,"stated_confidence":0.5,"helped":3,)"
            R"("failed":1,"created_at":"2026-01-01T00:00:00.000000Z","last_at":null,"expires_at":null,)"
            R"("by":null,"score":null,"position":0})");
  const std::string card = solution_card(stored, row.created_us, {});
  EXPECT_NE(card.find("75 %: stated 50 %, helped 3 of 4 times"), std::string::npos) << card;
  EXPECT_NE(card.find("fix it\nthen go on\n"), std::string::npos) << card;
  EXPECT_EQ(card.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace luzia
