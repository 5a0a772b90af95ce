#include "tools/cli/help.h"

#include "tests/matchers.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

TEST(Help, OverviewNamesEveryCommandOnALineOfItsOwn) {
  const std::string text = overview_text(kLuzia, true);
  for (const Command* command : kLuzia.commands) {
    if (!command->group.empty()) {
      EXPECT_THAT(text, HasSubstr("\n  " + std::string(command->name) + " "));
    }
  }
  EXPECT_EQ(text.find("__complete"), std::string::npos);
  EXPECT_EQ(text.find("\n" + std::string(14, ' ')), std::string::npos) << "a summary fits one line";
}

TEST(Help, FirstLevelListsEverydayCommands) {
  const std::string text = overview_text(kLuzia, false);
  EXPECT_THAT(text, HasSubstr("\n  status "));
  EXPECT_THAT(text, HasSubstr("luzia help --all"));
  for (const char* of_agents : {"\n  mcp ", "\n  hook ", "\n  publish ", "\n  gate ", "\n  ask "}) {
    EXPECT_EQ(text.find(of_agents), std::string::npos) << of_agents;
  }
  EXPECT_THAT(text, HasSubstr("luzia-query"));
}

TEST(Help, EveryCommandShowsUsageOptionsAndExamplesWithin80Columns) {
  for (const Command* command : kLuzia.commands) {
    if (command->group.empty()) {
      continue;
    }
    const std::string text = command_help(kLuzia, *command);
    SCOPED_TRACE(std::string(command->name));
    EXPECT_THAT(text, HasSubstr("usage: luzia " + std::string(command->name)));
    EXPECT_THAT(text, HasSubstr("\nExamples\n"));
    for (const Option& option : command->options) {
      EXPECT_THAT(text, HasSubstr("--" + std::string(long_name(option))));
    }
    const std::size_t options_at = text.find("Common options");
    const std::size_t end = text.find("\nExamples\n");
    for (std::size_t from = options_at; from < end;) {
      const std::size_t newline = text.find('\n', from);
      EXPECT_LE(newline - from, 80u);
      from = newline + 1;
    }
  }
}

TEST(Help, SubcommandShowsItsOwnMeaningOfAnOption) {
  const auto help = kFlowCommand.word_help(kLuzia, "run");
  ASSERT_TRUE(help.has_value());
  EXPECT_THAT(*help, HasSubstr("the project of the flow"));
  EXPECT_THAT(*help, ::testing::Not(HasSubstr("only these projects")));
}

TEST(Help, ManPageUsesTheSameTables) {
  const std::string page = man_page(kLuzia);
  EXPECT_EQ(page.rfind(".TH LUZIA 1", 0), 0u);
  for (const Command* command : kLuzia.commands) {
    if (!command->group.empty()) {
      EXPECT_THAT(page, HasSubstr(".SS luzia " + std::string(command->name)));
    }
  }
  EXPECT_THAT(page, HasSubstr("\\-\\-budget\\-time"));
  for (std::size_t at = page.find("\n."); at != std::string::npos; at = page.find("\n.", at + 1)) {
    EXPECT_NE(std::string_view(page).substr(at + 2, 1), ".") << "text that begins with a dot must be escaped";
  }
}

TEST(Help, EveryVerbOfFlowHasItsOwn) {
  std::vector<std::string_view> verbs = pieces_of(kFlowCommand.words, '|');
  EXPECT_GT(verbs.size(), 20u);
  for (const std::string_view verb : verbs) {
    const std::string text = help_on(kLuzia, kFlowCommand, {std::string(verb)});
    EXPECT_THAT(text, ::testing::StartsWith("flow " + std::string(verb) + ": "));
    EXPECT_THAT(text, HasSubstr("\nusage: luzia flow " + std::string(verb)));
    EXPECT_EQ(text.find("\nusage: luzia flow " + std::string(verb) + "\n       luzia"), std::string::npos);
    EXPECT_NE(text.substr(text.find(": ") + 2, 1), "\n") << verb << " has no summary";
  }
  const std::string complete = help_on(kLuzia, kFlowCommand, {"complete", "@last"});
  EXPECT_THAT(complete, HasSubstr("--output TEXT"));
  EXPECT_THAT(complete, HasSubstr("luzia flow complete @last schema"));
  EXPECT_EQ(complete.find("--in-order"), std::string::npos) << "an option of another verb";
  EXPECT_EQ(complete.find("complete: what"), std::string::npos) << "the verb is known";
  EXPECT_EQ(help_on(kLuzia, kFlowCommand, {"frob"}), command_help(kLuzia, kFlowCommand));
}

TEST(Help, WhatIsLearnedStandsUnderOneWord) {
  const std::string all = overview_text(kLuzia, true);
  EXPECT_THAT(all, HasSubstr("\n  learn "));
  for (const char* part : {"solution", "fact", "tools", "prompt"}) {
    EXPECT_EQ(all.find("\n  " + std::string(part) + " "), std::string::npos) << part;
    ASSERT_NE(find_command(kLuzia, part), nullptr) << "the old words stay";
    const auto chosen = narrowed(kLuzia, {find_command(kLuzia, "learn"), {part, "list"}});
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->command->run, find_command(kLuzia, part)->run);
    EXPECT_EQ(chosen->words, std::vector<std::string>{"list"});
    const std::string text = command_help(kLuzia, *chosen->command);
    EXPECT_THAT(text, HasSubstr("usage: luzia learn " + std::string(part)));
    EXPECT_THAT(text, HasSubstr("\n  luzia learn " + std::string(part)));
  }
}

TEST(Help, MisspeltCommandHasANeighbour) {
  EXPECT_EQ(nearest_command(kLuzia, "statsu"), "status");
  EXPECT_EQ(nearest_command(kLuzia, "cancle"), "cancel");
  EXPECT_EQ(nearest_command(kLuzia, "completely-different"), "");
}

}  // namespace
}  // namespace luzia
