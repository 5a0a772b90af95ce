#include "adapters/issues/compiled_patterns.h"

#include <re2/re2.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "adapters/issues/confirmation.h"
#include "engine/base/escape_sequences.h"
#include "tests/adapters/issues/support.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(CompiledPatterns, GiveLineAndOffsetOfEachMatch) {
  const auto patterns =
      compiled({pattern_of("denied", {"Permission denied"}), pattern_of("full", {"ENOSPC", "No space"})});
  EXPECT_THAT(
      told(facts_of(*patterns, "fine\nPermission denied\n\nENOSPC: No space left\nlast: Permission denied")),
      ElementsAre("2@5 denied", "4@24 full", "5@46 denied"));
}

TEST(CompiledPatterns, PatternCountsOncePerLine) {
  const auto patterns = compiled({pattern_of("x", {"x", "xx", "y"}), pattern_of("y", {"y"})});
  EXPECT_THAT(told(facts_of(*patterns, "xx xx y xx\nx\n")), ElementsAre("1@0 x", "1@0 y", "2@11 x"));
}

TEST(CompiledPatterns, NothingMatchesAcrossLines) {
  const auto patterns = compiled({pattern_of("dot", {"a.*b"}), pattern_of("blank", {R"(a\s+b)"}),
                                  pattern_of("negated", {"a[^x]b"}), pattern_of("opposite", {R"(a\Wb)"})});
  EXPECT_THAT(told(facts_of(*patterns, "a\nb\na\r\nb\na\n\nb")), IsEmpty());
  EXPECT_THAT(told(facts_of(*patterns, "a b")),
              ElementsAre("1@0 dot", "1@0 blank", "1@0 negated", "1@0 opposite"));
}

TEST(CompiledPatterns, CarriageReturnsEndLinesToo) {
  const auto patterns = compiled({pattern_of("end", {"code [1-9]$"}), pattern_of("begin", {"^exit"})});
  EXPECT_THAT(told(facts_of(*patterns, "exit code 2\r\nexit code 3\nan exit code 4 \nexit code 5")),
              ElementsAre("1@0 end", "1@0 begin", "2@13 end", "2@13 begin", "4@41 end", "4@41 begin"));
}

TEST(CompiledPatterns, ColorsHideNothing) {
  const auto patterns =
      compiled({pattern_of("denied", {"^error: permission denied"}), pattern_of("bright", {R"(\x1b\[1m)"})});
  const auto facts = facts_of(*patterns,
                              "ok\n\x1b[31merror\x1b[0m: \x1b[1mpermission\x1b[0m denied\r\nplain\n"
                              "error: permission denied\n");
  EXPECT_THAT(told(facts), ElementsAre("2@3 denied", "2@3 bright", "4@52 denied"));
  EXPECT_EQ(facts[0].line, "error: permission denied");
  EXPECT_EQ(facts[0].fingerprint, facts[2].fingerprint);
}

TEST(CompiledPatterns, CapturesFillTheFix) {
  IssuePattern pattern = pattern_of("module", {R"(No module named '(?P<module>[^']+)'( at all)?( really)?)"});
  pattern.fix = "Install {module} ({other}).";
  pattern.fix_command = "pip install {module}";
  const auto facts = facts_of(*compiled({pattern}), "No module named 'requests' at all\n");
  ASSERT_EQ(facts.size(), 1u);
  ASSERT_EQ(facts[0].captures.size(), 2u);
  EXPECT_EQ(facts[0].captures[0]->key, "module");
  EXPECT_EQ(facts[0].captures[0]->value, "requests");
  EXPECT_EQ(facts[0].captures[1]->key, "2");
  EXPECT_EQ(facts[0].fix, "Install requests ({other}).");
  EXPECT_EQ(facts[0].fix_command, "pip install {module}") << "log text must never become a command";
}

TEST(CompiledPatterns, LinesAndCapturesAreBoundedValidText) {
  const std::string line = "bad: " + std::string(10'000, 'x') + "\xff\xfe tail\n";
  const auto facts = facts_of(*compiled({pattern_of("bad", {R"(bad: (\w+)\W+tail)"})}), "\xff bad\n" + line);
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].line.size(), kMaxIssueLineBytes);
  EXPECT_EQ(facts[0].captures[0]->value.size(), kMaxIssueCaptureBytes);
  const auto broken = facts_of(*compiled({pattern_of("ff", {"bad"})}), "\xff bad");
  EXPECT_EQ(broken.at(0).line, "\uFFFD bad");
}

TEST(CompiledPatterns, MatchesBeyondTheLimitComeWithTheNextCall) {
  const auto patterns = compiled({pattern_of("a", {"a"}), pattern_of("b", {"b"}), pattern_of("c", {"c"})});
  std::string text;
  for (int i = 0; i < 500; ++i) text += i % 3 == 0 ? "abc\n" : i % 3 == 1 ? "none\n" : "b\n";
  const std::vector<std::string> all = told(facts_of(*patterns, text));
  for (const std::size_t most : {3u, 4u, 5u, 100u}) {
    std::vector<schema::IssueDetectedT> found;
    LineBlock block{text, 0, 1};
    while (!block.text.empty()) {
      const std::size_t before = found.size();
      const std::size_t looked = patterns->match(block, most, PatternMask(3, true), found);
      ASSERT_GT(looked, 0u);
      ASSERT_LE(found.size() - before, most);
      ASSERT_EQ(block.text[looked - 1], '\n');
      block.first_line += static_cast<std::uint64_t>(
          std::count(block.text.begin(), block.text.begin() + static_cast<long>(looked), '\n'));
      block.offset += looked;
      block.text.remove_prefix(looked);
    }
    EXPECT_EQ(told(found), all) << most;
  }
  std::vector<schema::IssueDetectedT> found;
  EXPECT_EQ(patterns->match({"abc\nabc\n", 0, 1}, 2, PatternMask(3, true), found), 4u);
  EXPECT_EQ(found.size(), 2u) << "a line with more matches than fit into one call";
}

TEST(CompiledPatterns, ManyMatchesInOneBlockAreFound) {
  std::vector<IssuePattern> list;
  for (int i = 0; i < 40; ++i) list.push_back(pattern_of("p" + std::to_string(100 + i), {"[xX]"}));
  const auto patterns = compiled(std::move(list));
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "x\n";
  const auto facts = facts_of(*patterns, text);
  ASSERT_EQ(facts.size(), 20'000u * 40);
  EXPECT_EQ(facts.back().line_no, 20'000u);
}

TEST(CompiledPatterns, NoPatternsFindNothing) {
  EXPECT_THAT(facts_of(*compiled({}), "error\n"), IsEmpty());
  std::vector<schema::IssueDetectedT> found;
  EXPECT_EQ(compiled({})->match({"error\n", 0, 1}, 10, {}, found), 6u);
}

TEST(CompiledPatterns, MaskedPatternsAreSilent) {
  const auto patterns = compiled({pattern_of("a", {"a"}), pattern_of("b", {"b"})});
  std::vector<schema::IssueDetectedT> found;
  patterns->match({"ab\n", 0, 1}, 10, {false, true}, found);
  EXPECT_THAT(told(found), ElementsAre("1@0 b"));
}

TEST(CompiledPatterns, PatternReplacesThoseItNames) {
  std::vector<IssuePattern> all = {pattern_of("error", {"error"}), pattern_of("header", {"error: no h"}),
                                   pattern_of("one", {"both"}), pattern_of("other", {"both"})};
  all[1].instead_of = {"error", "unknown"};
  all[2].instead_of = {"other"};
  all[3].instead_of = {"one"};
  const std::string text = "error: no x\nerror: no h\nboth\nerror: no h, both\n";
  const auto expected = ElementsAre("1@0 error", "2@12 header", "3@24 one", "3@24 other", "4@29 header",
                                    "4@29 one", "4@29 other");
  EXPECT_THAT(told(facts_of(*compiled(all), text)), expected);
  EXPECT_THAT(told(facts_of(*uncompiled(all), text)), expected);
  std::vector<schema::IssueDetectedT> found;
  compiled(all)->match({"error: no h\n", 0, 1}, 10, {true, false, true, true}, found);
  EXPECT_THAT(told(found), ElementsAre("1@0 error"))
      << "a masked pattern of another project replaces nothing";
}

TEST(CompiledPatterns, LineNeverLosesAllItsFacts) {
  std::vector<IssuePattern> all = {pattern_of("a", {"x"}), pattern_of("b", {"x"}), pattern_of("c", {"x"})};
  all[0].instead_of = {"b"};
  all[1].instead_of = {"c"};
  all[2].instead_of = {"a"};
  EXPECT_THAT(told(facts_of(*compiled(all), "x\n")), ElementsAre("1@0 a", "1@0 b", "1@0 c"));
  all.push_back(pattern_of("d", {"x"}));
  EXPECT_THAT(told(facts_of(*compiled(all), "x\n")), ElementsAre("1@0 a", "1@0 b", "1@0 c", "1@0 d"))
      << "nor does a circle with another beside it";
  all[3].instead_of = {"a"};
  all[2].instead_of.emplace_back("e");
  all.push_back(pattern_of("e", {"x"}));
  EXPECT_THAT(told(facts_of(*compiled(all), "x\n")), ElementsAre("1@0 b", "1@0 c", "1@0 d"))
      << "patterns that only lead to or from a cycle are not part of it";
}

TEST(CompiledPatterns, ShippedPatternsNeverReplaceTheUsers) {
  std::vector<IssuePattern> all = {pattern_of("general", {"x"}), pattern_of("narrow", {"x"})};
  all[1].instead_of = {"general"};
  all[0].shipped = all[1].shipped = true;
  EXPECT_THAT(told(facts_of(*compiled(all), "x\n")), ElementsAre("1@0 narrow"));
  all[0].shipped = false;
  EXPECT_THAT(told(facts_of(*compiled(all), "x\n")), ElementsAre("1@0 general", "1@0 narrow"));
  all[1].shipped = false;
  EXPECT_THAT(told(facts_of(*compiled(all), "x\n")), ElementsAre("1@0 narrow")) << "the user says so";
}

TEST(CompiledPatterns, IssueHasOneFingerprint) {
  std::vector<IssuePattern> all = {pattern_of("one", {"push"}), pattern_of("several", {"push"}),
                                   pattern_of("other", {"push"})};
  all[0].one_issue = true;
  all[2].one_issue = true;
  std::map<std::string, std::set<std::string>> fingerprints;
  std::set<std::string> of_all;
  for (const auto& fact : facts_of(*compiled(all), "push was refused\npush has failed\n")) {
    fingerprints[fact.pattern].insert(fact.fingerprint);
    of_all.insert(fact.fingerprint);
  }
  EXPECT_EQ(fingerprints["one"].size(), 1u);
  EXPECT_EQ(fingerprints["other"].size(), 1u);
  EXPECT_EQ(fingerprints["several"].size(), 2u);
  EXPECT_EQ(of_all.size(), 4u) << "fingerprints of different patterns differ";
}

TEST(CompiledPatterns, PatternsTooLargeForVectorscanStillMatch) {
  const auto patterns =
      compiled({pattern_of("large", {"^(?:[a-f][0-9]{1,9}){20}(?:x|y{30,90})+z{50}[ab]{5,700}$"}),
                pattern_of("small", {"small"})});
  const std::string hit = "a1b1c1d1e1f1a1b1c1d1a1b1c1d1e1f1a1b1c1d1x" + std::string(50, 'z') + "abbaabba";
  EXPECT_THAT(told(facts_of(*patterns, hit + "\nsmall\n" + hit + "c\n")),
              ElementsAre("1@0 large", "2@" + std::to_string(hit.size() + 1) + " small"));
}

/// Random lines made of pieces that the expressions contain, some with colors, some with carriage returns.
std::string random_log(unsigned seed, std::size_t lines) {
  static const std::vector<std::string> pieces = {"error",      "Error",
                                                  ": ",         "file.cc",
                                                  ":12",        ":",
                                                  " ",          "\t",
                                                  "\x1b[31m",   "\x1b[0m",
                                                  "denied",     "Permission ",
                                                  "a",          "b",
                                                  "\xc3\xa9",   "\xff",
                                                  "exit code ", "1",
                                                  "22",         "\r",
                                                  "'",          "No module named ",
                                                  "xyz",        "=",
                                                  "..."};
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    for (unsigned k = random() % 8; k > 0; --k) text += pieces[random() % pieces.size()];
    text += random() % 9 == 0 ? "\r\n" : "\n";
  }
  return text;
}

const std::vector<std::string> kRandomRegexes = {"error",
                                                 "(?i)error: .*",
                                                 R"(^\w+\.cc:\d+)",
                                                 R"(exit code [1-9]\d*$)",
                                                 R"(\bdenied\b)",
                                                 "a.b",
                                                 "[^a]b$",
                                                 "^a+b?",
                                                 R"(No module named '?(\w+)'?)",
                                                 R"(\S+\s\S+)",
                                                 "é",
                                                 R"(.é.)",
                                                 R"(^\s+$|xyz)",
                                                 "(?:a|ab)(?:b|1)",
                                                 R"(\B1)",
                                                 "(.*)denied(.*)$",
                                                 "Permission .{0,5}denied",
                                                 R"(^.{3}$)",
                                                 "(?:a|b){2,4}[^b]",
                                                 R"(\.\.\.\Z)"};

TEST(CompiledPatterns, FindWhatRe2FindsLineByLine) {
  std::vector<IssuePattern> list;
  std::vector<std::unique_ptr<RE2>> alone;
  for (std::size_t i = 0; i < kRandomRegexes.size(); ++i) {
    list.push_back(pattern_of("p" + std::to_string(10 + i), {kRandomRegexes[i]}));
    alone.push_back(std::make_unique<RE2>(list.back().regexes.at(0).confirming, confirming_options()));
  }
  const std::string text = random_log(7, 20'000);
  const auto patterns = compiled(list);
  std::vector<std::string> expected;
  std::uint64_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    std::string raw = text.substr(at, end - at), plain;
    if (raw.ends_with('\r')) raw.pop_back();
    append_without_escapes(raw, plain);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      if (RE2::PartialMatch(raw, *alone[i]) || RE2::PartialMatch(plain, *alone[i])) {
        expected.push_back(std::to_string(number) + "@" + std::to_string(at) + " " + list[i].name);
      }
    }
    at = end + 1;
  }
  ASSERT_GT(expected.size(), 10'000u);
  EXPECT_EQ(told(facts_of(*patterns, text)), expected);
}

std::vector<IssuePattern> random_patterns() {
  std::vector<IssuePattern> list;
  for (std::size_t i = 0; i < kRandomRegexes.size(); ++i) {
    list.push_back(pattern_of("p" + std::to_string(10 + i), {kRandomRegexes[i]}));
  }
  return list;
}

/// All fields of a fact, for comparison.
std::vector<std::string> in_full(const std::vector<schema::IssueDetectedT>& facts) {
  std::vector<std::string> lines = told(facts);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    lines[i] += " " + facts[i].fingerprint + " " + facts[i].line;
    for (const auto& capture : facts[i].captures) lines[i] += " " + capture->key + "=" + capture->value;
  }
  return lines;
}

TEST(CompiledPatterns, UncompiledPatternsFindTheSame) {
  const std::string text = random_log(13, 20'000) + "No module named 'the_end'";
  const auto expected = in_full(facts_of(*compiled(random_patterns()), text));
  ASSERT_GT(expected.size(), 10'000u);
  const auto patterns = uncompiled(random_patterns());
  const auto found = in_full(facts_of(*patterns, text));
  const auto [ours, other] = std::ranges::mismatch(found, expected);
  EXPECT_EQ(ours == found.end() ? "" : *ours, other == expected.end() ? "" : *other);
  std::vector<schema::IssueDetectedT> few;
  const std::size_t looked = patterns->match({text, 0, 1}, 100, PatternMask(20, true), few);
  EXPECT_LT(looked, text.size());
  ASSERT_LE(few.size(), 100u);
  EXPECT_EQ(in_full(few), std::vector(expected.begin(), expected.begin() + static_cast<long>(few.size())));
}

TEST(CompiledPatterns, AnyNumberWorksUncompiled) {
  std::vector<IssuePattern> list;
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 2'500; ++i) {
    const std::string name = "p" + std::to_string(10'000 + i);
    list.push_back(pattern_of(name, {"^" + name + "$"}));
    expected.push_back(std::to_string(i + 1) + "@" + std::to_string(text.size()) + " " + name);
    text += name + "\n";
  }
  EXPECT_EQ(told(facts_of(*uncompiled(list), text)), expected);
}

TEST(CompiledPatterns, AnySizeWorksUncompiled) {
  std::vector<IssuePattern> list;
  for (int i = 0; i < 500; ++i) {
    list.push_back(
        pattern_of("p" + std::to_string(1'000 + i), {"^" + std::to_string(i) + "(?:[a-f][0-9]){400}x$"}));
  }
  std::string pairs;
  for (int i = 0; i < 400; ++i) pairs += "a1";
  EXPECT_THAT(told(facts_of(*uncompiled(list), "7" + pairs + "x\n450" + pairs + "x\n8" + pairs + "\n")),
              ElementsAre("1@0 p1007", "2@803 p1450"));
}

TEST(CompiledPatterns, NoUncompiledPatternsFindNothing) {
  std::vector<schema::IssueDetectedT> found;
  EXPECT_EQ(uncompiled({})->match({"error\n\n", 0, 1}, 10, {}, found), 7u);
  EXPECT_THAT(found, IsEmpty());
}

TEST(CompiledPatterns, BlocksOfAnySizeGiveTheSameFacts) {
  const std::vector<IssuePattern> list = random_patterns();
  const auto patterns = compiled(list);
  const std::string text = random_log(11, 3'000);
  const auto whole = facts_of(*patterns, text);
  std::mt19937 random(3);
  std::vector<schema::IssueDetectedT> found;
  LineBlock rest{text, 0, 1};
  while (!rest.text.empty()) {
    const std::size_t end = rest.text.find('\n', random() % std::min<std::size_t>(rest.text.size(), 4'000));
    const std::string_view block = rest.text.substr(0, end + 1);
    patterns->match({block, rest.offset, rest.first_line}, 1'000'000, PatternMask(list.size(), true), found);
    rest.first_line += static_cast<std::uint64_t>(std::ranges::count(block, '\n'));
    rest.offset += block.size();
    rest.text.remove_prefix(block.size());
  }
  EXPECT_EQ(told(found), told(whole));
}

TEST(CompiledPatterns, ManyThreadsMatchAtOnce) {
  const auto patterns = compiled({pattern_of("a", {"error: (.*)"}), pattern_of("b", {"denied$"})});
  const std::string text = random_log(5, 2'000);
  const auto expected = told(facts_of(*patterns, text));
  std::vector<std::vector<std::string>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) result = told(facts_of(*patterns, text));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace luzia
