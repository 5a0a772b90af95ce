// Rules that look above a matching line: which line they take, where they stop, and what they may cost.
#include "adapters/issues/earlier_lines.h"

#include <re2/re2.h>

#include <random>

#include "adapters/issues/confirmation.h"
#include "tests/adapters/issues/support.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

EarlierLine rule(const std::string& line, std::size_t within, const std::string& until = {}) {
  EarlierLine earlier{*translate_python_regex(line), {}, within};
  if (!until.empty()) earlier.until = *translate_python_regex(until);
  return earlier;
}
EarlierLine shown(EarlierLine earlier) {
  earlier.shown = true;
  return earlier;
}
EarlierLine first(EarlierLine earlier) {
  earlier.first = true;
  return earlier;
}

IssuePattern failed(std::vector<EarlierLine> earlier) {
  IssuePattern pattern = pattern_of("failed", {R"(^exit (?P<code>[1-9]\d*)$)"});
  pattern.earlier = std::move(earlier);
  return pattern;
}

/// "LINE_NO@OFFSET LINE key=value ..." for each fact.
std::vector<std::string> reports(const std::vector<schema::IssueDetectedT>& facts) {
  std::vector<std::string> lines;
  for (const auto& fact : facts) {
    lines.push_back(std::to_string(fact.line_no) + "@" + std::to_string(fact.offset) + " " + fact.line);
    for (const auto& capture : fact.captures) lines.back() += " " + capture->key + "=" + capture->value;
  }
  return lines;
}
std::vector<std::string> reports(const IssuePattern& pattern, std::string_view text) {
  const auto found = reports(facts_of(*compiled({pattern}), text));
  EXPECT_EQ(reports(facts_of(*uncompiled({pattern}), text)), found) << "before the patterns are compiled";
  return found;
}

constexpr std::string_view kLog = "bad: one\nok\nbad: two\nok\nexit 3\n";

TEST(EarlierLines, NearestLineIsTaken) {
  EXPECT_THAT(reports(failed({shown(rule("^bad: (?P<what>.+)", 4))}), kLog),
              ElementsAre("3@12 bad: two code=3 what=two"));
}

TEST(EarlierLines, FirstLineWithinReachIsTaken) {
  const auto far = [](std::size_t within) {
    return failed({first(shown(rule("^bad: (?P<what>.+)", within)))});
  };
  EXPECT_THAT(reports(far(4), kLog), ElementsAre("1@0 bad: one code=3 what=one"));
  EXPECT_THAT(reports(far(3), kLog), ElementsAre("3@12 bad: two code=3 what=two"));
  EXPECT_THAT(reports(far(1), kLog), ElementsAre("5@24 exit 3 code=3"));
}

TEST(EarlierLines, SearchStopsBeforeTheBoundary) {
  EXPECT_THAT(reports(failed({first(shown(rule("^bad", 9, "^ok")))}), kLog),
              ElementsAre("5@24 exit 3 code=3"));
  EXPECT_THAT(reports(failed({first(shown(rule("^bad: ...$", 9, "one")))}), kLog),
              ElementsAre("3@12 bad: two code=3"));
}

TEST(EarlierLines, ExceptedLinesArePassedOver) {
  EarlierLine earlier = shown(rule("^bad: (?P<what>.+)", 4));
  earlier.except = *translate_python_regex("two$");
  EXPECT_THAT(reports(failed({earlier}), kLog), ElementsAre("1@0 bad: one code=3 what=one"));
  earlier.except = *translate_python_regex("^bad");
  EXPECT_THAT(reports(failed({earlier}), kLog), ElementsAre("5@24 exit 3 code=3"));
}

TEST(EarlierLines, LineThatIsNotShownGivesItsCapturesOnly) {
  EXPECT_THAT(reports(failed({rule("^(?P<code>bad): (?P<what>.+)", 4)}), kLog),
              ElementsAre("5@24 exit 3 code=3 what=two"));
}

TEST(EarlierLines, FirstRuleThatFindsALineCounts) {
  EXPECT_THAT(
      reports(failed({shown(rule("^worse", 9)), rule("^bad: (?P<what>.+)", 9), shown(rule("^ok", 9))}), kLog),
      ElementsAre("5@24 exit 3 code=3 what=two"));
}

TEST(EarlierLines, ColorsAndCarriageReturnsHideNothing) {
  EXPECT_THAT(reports(failed({shown(rule("^bad: (?P<what>.+)$", 4))}),
                      "\x1b[31mbad\x1b[0m: one\r\n\x1b[1mexit 3\r\n"),
              ElementsAre("1@0 bad: one code=3 what=one"));
}

TEST(EarlierLines, IssueIsIdentifiedByTheLineThatIsShown) {
  const auto facts = facts_of(*compiled({failed({shown(rule("^bad", 1))})}),
                              "bad: one\nexit 3\nbad: two\nexit 3\nbad: one\nexit 4\n");
  ASSERT_EQ(facts.size(), 3u);
  EXPECT_NE(facts[0].fingerprint, facts[1].fingerprint);
  EXPECT_EQ(facts[0].fingerprint, facts[2].fingerprint);
}

TEST(EarlierLines, LinesThatWereLookedAtAreContextOnly) {
  const auto patterns = compiled({failed({shown(rule("^bad: (?P<what>.+)", 4))})});
  const std::string_view text = "bad: zero\nexit 2\nbad: one\nexit 3\n";
  std::vector<schema::IssueDetectedT> found;
  EXPECT_EQ(patterns->match({text, 100, 7, text.rfind("exit")}, 10, {true}, found), text.size());
  EXPECT_THAT(reports(found), ElementsAre("9@117 bad: one code=3 what=one"));
  found.clear();
  EXPECT_EQ(patterns->match({text, 0, 1, text.size() + 5}, 10, {true}, found), text.size());
  EXPECT_TRUE(found.empty());
}

TEST(EarlierLines, CostIsBounded) {
  const EarlierLines lines({shown(rule("^bad", 200))});
  IssueCaptures captures;
  std::string text = "bad\n" + std::string(3 * kMaxEarlierBytes, 'x') + "\n";
  std::size_t budget = 10 * kMaxEarlierBytes;
  EXPECT_EQ(lines.find(text, budget, captures).bytes_back, 0u) << "beyond its reach";
  EXPECT_EQ(budget, 10 * kMaxEarlierBytes) << "a line that is cut is not read";
  text = "bad\n" + std::string(100, '\n');
  EXPECT_EQ(lines.find(text, budget, captures).lines_back, 101u);
  EXPECT_EQ(budget, 10 * kMaxEarlierBytes - text.size());
  budget = text.size() - 1;
  EXPECT_EQ(lines.find(text, budget, captures).bytes_back, 0u) << "the budget is used up";

  // A call as a whole: after many lines that match, one that costs too much is reported where it matches.
  text = "bad\n";
  for (int i = 0; i < 20'000; ++i) text += "exit 3\n";
  const auto facts = facts_of(*compiled({failed({shown(rule("^bad", 200))})}), text);
  ASSERT_EQ(facts.size(), 20'000u);
  EXPECT_EQ(facts.front().line, "bad");
  EXPECT_EQ(facts.back().line, "exit 3");
}

/// Random lines and rules, against the definition.
TEST(EarlierLines, TakeWhatTheDefinitionSays) {
  std::mt19937 random(5);
  const std::vector<std::string> words = {"bad 1", "bad 2", "ok", "stop", "exit 1", "exit 2", ""};
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> lines;
    std::vector<std::size_t> begins;
    std::string text;
    for (int i = 0; i < 60; ++i) {
      lines.push_back(words[random() % words.size()]);
      begins.push_back(text.size());
      text += lines.back() + "\n";
    }
    EarlierLine earlier = shown(rule("^bad", 1 + random() % 6, "^stop"));
    earlier.first = random() % 2 == 0;
    const bool passes_over = random() % 2 == 0;
    if (passes_over) earlier.except = *translate_python_regex("2$");
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with("exit")) continue;
      std::size_t taken = i;
      for (std::size_t k = 1; k <= std::min(earlier.within, i) && lines[i - k] != "stop"; ++k) {
        if (passes_over && lines[i - k] == "bad 2") continue;
        if (!lines[i - k].starts_with("bad") || (taken != i && !earlier.first)) continue;
        taken = i - k;
      }
      expected.push_back(std::to_string(taken + 1) + "@" + std::to_string(begins[taken]) + " " +
                         lines[taken] + " code=" + lines[i].substr(5));
    }
    ASSERT_EQ(reports(facts_of(*uncompiled({failed({earlier})}), text)), expected) << text;
  }
}

}  // namespace
}  // namespace luzia
