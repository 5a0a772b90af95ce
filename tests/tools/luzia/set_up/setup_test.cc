// What luzia init writes into luzia.toml, and how answers are understood.
#include "tools/luzia/set_up/setup.h"

#include "tests/matchers.h"
#include "tools/luzia/set_up/setup_questions.h"

namespace luzia::init {
namespace {

const FolderProject kNew{"shop", "/home/ana/shop", "luzia.toml"}, kKnown{"shop", "/home/ana/shop"};

Choices all_choices() {
  Choices choices;
  choices.agents = {find_agent("codex"), find_agent("claude")};
  choices.unanswered = Unanswered::gives_up;
  choices.notified = Notified::desktop;
  return choices;
}

/// Answers one after the other, then the end of the input.
struct Typed {
  std::vector<std::string> answers;
  std::vector<std::string> asked = {};
  AskPerson person() {
    return [this](const std::string& text) -> std::optional<std::string> {
      asked.push_back(text);
      if (asked.size() > answers.size()) return std::nullopt;
      return answers[asked.size() - 1];
    };
  }
};

Options everything() {
  return {{find_agent("claude"), find_agent("codex")}, true, true, true};
}

TEST(Setup, NewFileIsCommentedAndMeansWhatWasChosen) {
  const auto written = with_choices("luzia.toml", "", {}, kNew, all_choices());
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_THAT(written->by_hand, IsEmpty());
  EXPECT_THAT(written->after, HasSubstr("# Luzia's configuration"));
  EXPECT_THAT(written->after, HasSubstr("luzia hooks test desktop"));
  const auto config = parse_config(written->after, "luzia.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->projects.at("shop").path, "/home/ana/shop");
  EXPECT_EQ(config->projects.at("shop").agent, "codex");
  EXPECT_EQ(config->questions.default_timeout_ms, 1'800'000u);
  EXPECT_TRUE(config->hooks.at("desktop").desktop);
  EXPECT_THAT(config->hooks.at("desktop").on, testing::Contains("question_asked"));
}

TEST(Setup, AddressIsAWebhookInItsFormat) {
  Choices choices;
  choices.notified = Notified::address;
  for (const auto& [address, format] : {std::pair{"https://hooks.slack.com/services/T/B/x", "slack"},
                                        {"https://ntfy.sh/mine", "ntfy"},
                                        {"http://localhost:8080/\"x", "json"}}) {
    choices.address = address;
    const auto written = with_choices("luzia.toml", "", {}, kNew, choices);
    ASSERT_TRUE(written) << written.error().message;
    const auto config = parse_config(written->after, "luzia.toml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->webhooks.at("address").url, address);
    EXPECT_EQ(config->webhooks.at("address").format, format);
  }
}

TEST(Setup, FileThatIsThereKeepsEveryByteAndGetsWhatItLacks) {
  const std::string text = "# mine\n[questions]\nremind_at = [0.5]\n[projects.web]\npath = \"/srv/web\"";
  const auto config = parse_config(text, "luzia.toml");
  ASSERT_TRUE(config);
  const auto written = with_choices("luzia.toml", text, *config, kNew, all_choices());
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->after.starts_with(text + "\n\n# A project")) << written->after;
  EXPECT_THAT(written->by_hand, ElementsAre("[questions] default_timeout = \"30m\""));
  const auto after = parse_config(written->after, "luzia.toml");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->projects.size(), 2u);
  EXPECT_EQ(after->hooks.size(), 1u);
  const auto again = with_choices("luzia.toml", written->after, *after, kKnown, Choices{});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->after, written->after);
}

TEST(Setup, WhatIsConfiguredElsewhereIsNotAddedAgain) {
  const auto config = parse_config(
      "[[hooks]]\nname = \"log\"\ncommand = [\"logger\"]\non = [\"job_failed\"]\n"
      "[questions]\ndefault_timeout = \"5m\"\n",
      "elsewhere.toml");
  ASSERT_TRUE(config) << config.error().message;
  const auto written = with_choices("luzia.toml", "", *config, kNew, all_choices());
  ASSERT_TRUE(written);
  EXPECT_THAT(written->after, Not(HasSubstr("[[hooks]]")));
  EXPECT_THAT(written->after, Not(HasSubstr("default_timeout")));
}

TEST(Setup, FileThatTakesNoTableIsRefused) {
  const std::string text = "projects = { web = { path = \"/srv/web\" } }\n";
  EXPECT_FALSE(with_choices("luzia.toml", text, {}, kNew, Choices{}));
  EXPECT_FALSE(with_choices("luzia.toml", "[broken", {}, kNew, Choices{}));
}

TEST(SetupQuestions, EnterTakesTheDefaults) {
  Typed typed{{"", "", ""}};
  const auto choices = ask_choices(everything(), typed.person());
  ASSERT_TRUE(choices);
  const Choices defaults = default_choices(everything());
  EXPECT_EQ(typed.asked.size(), 3u);
  EXPECT_EQ(choices->agents, defaults.agents);
  EXPECT_EQ(choices->unanswered, Unanswered::waits);
  EXPECT_EQ(choices->unanswered, defaults.unanswered);
  EXPECT_EQ(choices->notified, Notified::desktop);
  EXPECT_EQ(choices->notified, defaults.notified);
}

TEST(SetupQuestions, AnswerThatIsNoneIsAskedForAgain) {
  Typed typed{{"3", "gemini", "codex, 1", "x", "2", "0", "3", "ntfy.sh/mine", " https://ntfy.sh/mine "}};
  const auto choices = ask_choices(everything(), typed.person());
  ASSERT_TRUE(choices);
  EXPECT_THAT(choices->agents, ElementsAre(find_agent("codex"), find_agent("claude")));
  EXPECT_EQ(choices->unanswered, Unanswered::gives_up);
  EXPECT_EQ(choices->notified, Notified::address);
  EXPECT_EQ(choices->address, "https://ntfy.sh/mine");
}

TEST(SetupQuestions, EndOfTheInputCancels) {
  for (std::size_t answered = 0; answered < 3; ++answered) {
    Typed typed{std::vector<std::string>(answered, "")};
    const auto choices = ask_choices(everything(), typed.person());
    ASSERT_FALSE(choices);
    EXPECT_EQ(choices.error().code, "cancelled");
  }
}

TEST(SetupQuestions, WhatIsConfiguredIsNotAsked) {
  Typed typed;
  const auto choices = ask_choices({{}, true, false, false}, typed.person());
  ASSERT_TRUE(choices);
  EXPECT_THAT(typed.asked, IsEmpty());
  EXPECT_EQ(choices->notified, Notified::nobody);
}

TEST(SetupQuestions, OnlyYesOrEnterWrites) {
  for (const char* yes : {"", "y", "Yes", " yes "}) EXPECT_TRUE(says_yes(yes)) << yes;
  for (const char* no : {"n", "no", "yess", "1"}) EXPECT_FALSE(says_yes(no)) << no;
  EXPECT_FALSE(says_yes(std::nullopt));
}

}  // namespace
}  // namespace luzia::init
