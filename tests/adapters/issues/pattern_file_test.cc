#include "tests/adapters/issues/support.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

std::vector<std::string> refusals(const PatternFile& file) {
  std::vector<std::string> texts;
  for (const RefusedPattern& refused : file.refused) texts.push_back(refused.text());
  return texts;
}

TEST(PatternFile, OlderToolsFileIsRead) {
  const auto file =
      parse_pattern_file(R"json({"patterns": [{"name": "disk-full", "description": "The disk is full",
    "error_patterns": ["No space left on device", "(?i)disk full(?P<where> on \\S+)?"], "fix": "Free space",
    "fix_command": "docker system prune -f", "auto_fixable": true, "severity": "Critical", "rank": "clue",
    "project": "web",
    "instead_of": ["no-space"], "one_issue": true, "seen": 12,
    "earlier": [{"line": "^copy (?P<file>\\S+)", "within": 5, "until": "^done", "first": true, "shown": true,
                 "except": "^copy -v"},
                {"line": "x", "within": 200}]}, {"name": "least", "error_patterns": ["x"]}], "version": 1})json",
                         "known_issues.json");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_THAT(refusals(*file), IsEmpty());
  ASSERT_EQ(file->patterns.size(), 2u);
  const IssuePattern& full = file->patterns[0];
  EXPECT_EQ(full.name, "disk-full");
  EXPECT_EQ(full.fix_command, "docker system prune -f");
  EXPECT_TRUE(full.auto_fixable);
  EXPECT_EQ(full.severity, schema::Severity::critical);
  EXPECT_EQ(full.rank, schema::IssueRank::clue);
  EXPECT_EQ(file->patterns[1].rank, schema::IssueRank::none);
  EXPECT_EQ(full.project, "web");
  EXPECT_THAT(full.instead_of, testing::ElementsAre("no-space"));
  EXPECT_EQ(full.regexes.size(), 2u);
  EXPECT_EQ(file->patterns[1].severity, schema::Severity::error);
  EXPECT_FALSE(file->patterns[1].auto_fixable);
  EXPECT_TRUE(full.one_issue);
  ASSERT_EQ(full.earlier.size(), 2u);
  EXPECT_THAT(full.earlier[0].line.capture_names, testing::ElementsAre("file"));
  EXPECT_EQ(full.earlier[0].within, 5u);
  EXPECT_TRUE(full.earlier[0].until && full.earlier[0].first && full.earlier[0].shown);
  EXPECT_TRUE(full.earlier[0].except && !full.earlier[1].except);
  EXPECT_FALSE(full.earlier[1].until || full.earlier[1].first || full.earlier[1].shown);
  EXPECT_THAT(file->patterns[1].earlier, IsEmpty());
  EXPECT_FALSE(file->patterns[1].one_issue);
}

TEST(PatternFile, BadPatternIsRefusedAloneWithItsReason) {
  const auto file = parse_pattern_file(R"json({"patterns": [
    {"name": "good", "error_patterns": ["x"]},
    {"name": "ahead", "error_patterns": ["fine", "é(?=x)"]},
    {"error_patterns": ["x"]},
    7,
    {"name": "none"},
    {"name": "number", "error_patterns": [1]},
    {"name": "grave", "error_patterns": ["x"], "severity": "grave"},
    {"name": "fixable", "error_patterns": ["x"], "auto_fixable": true},
    {"name": "word", "error_patterns": ["x"], "auto_fixable": "yes"},
    {"name": "good", "error_patterns": ["y"]},
    {"name": "good", "project": "web", "error_patterns": ["y"]},
    {"name": "a\nb", "error_patterns": ["x"]},
    {"name": "instead", "error_patterns": ["x"], "instead_of": "good"},
    {"name": "of", "error_patterns": ["x"], "instead_of": ["good", 7]},
    {"name": "once", "error_patterns": ["x"], "one_issue": 1},
    {"name": "ranked", "error_patterns": ["x"], "rank": "first"},
    {"name": "rank", "error_patterns": ["x"], "rank": 1}]
})json",
                                       "f.json");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->patterns.size(), 2u);
  EXPECT_EQ(file->listed, 17u);
  EXPECT_THAT(
      refusals(*file),
      testing::ElementsAre("f.json: pattern ahead: error_patterns[1] at 1: a lookahead",
                           HasSubstr("pattern #3: it has no name"), "f.json: pattern #4: it is not an object",
                           HasSubstr("pattern none: error_patterns is not a list"),
                           "f.json: pattern number: error_patterns[0] at 0: it is not a string",
                           HasSubstr("pattern grave: its severity is not"),
                           HasSubstr("pattern fixable: it is auto_fixable and has no fix_command"),
                           HasSubstr("pattern word: auto_fixable is not true or false"),
                           HasSubstr("pattern good: the file has a pattern of this name already"),
                           HasSubstr("pattern #12: it has no name"),
                           HasSubstr("pattern instead: instead_of is not a list of up to 64 names"),
                           HasSubstr("pattern of: instead_of holds something else than names of patterns"),
                           HasSubstr("pattern once: one_issue is not true or false"),
                           HasSubstr("pattern ranked: its rank is not cause, test, clue or consequence"),
                           HasSubstr("pattern rank: rank is not a string")));
}

TEST(PatternFile, BadEarlierLineRefusesItsPattern) {
  const auto reason = [](const std::string& earlier) {
    const auto file = parse_pattern_file(
        R"({"patterns": [{"name": "a", "error_patterns": ["x"], "earlier": )" + earlier + "}]}", "f");
    return file && file->refused.size() == 1 && file->patterns.empty() ? file->refused[0].reason : "";
  };
  EXPECT_EQ(reason("{}"), "earlier is not a list of up to 8 objects");
  EXPECT_EQ(reason("[7]"), "earlier[0] is not an object");
  EXPECT_EQ(reason(R"([{"line": "x", "within": 1}, {"within": 1}])"),
            "earlier[1] has no regular expression as its line");
  EXPECT_EQ(reason(R"json([{"line": "x(?=y)", "within": 1}])json"), "earlier[0].line at 1: a lookahead");
  EXPECT_EQ(reason(R"([{"line": "x", "within": 1, "until": 7}])"),
            "earlier[0] has no regular expression as its until");
  EXPECT_EQ(reason(R"([{"line": "x", "within": 1, "except": "x*"}])"),
            "earlier[0].except at 0: it matches the empty text, so it would match every line");
  for (const char* within : {"0", "201", "-1", "1.5", "\"1\"", "true"}) {
    EXPECT_EQ(reason(R"([{"line": "x", "within": )" + std::string(within) + "}]"),
              "earlier[0].within is not a number of lines from 1 to 200")
        << within;
  }
  EXPECT_EQ(reason(R"([{"line": "x"}])"), "earlier[0].within is not a number of lines from 1 to 200");
  EXPECT_EQ(reason(R"([{"line": "x", "within": 1, "first": 1}])"), "first is not true or false");
  std::string many = R"([{"line": "x", "within": 1})";
  for (std::size_t i = 0; i < kMaxEarlierRules; ++i) many += R"(, {"line": "x", "within": 1})";
  EXPECT_EQ(reason(many + "]"), "earlier is not a list of up to 8 objects");
}

TEST(PatternFile, InvalidPatternFileIsRefused) {
  EXPECT_EQ(parse_pattern_file("", "f").error().code, "pattern_file_syntax");
  EXPECT_THAT(parse_pattern_file("{\n\"patterns\": [\n}", "f").error().message, HasSubstr("line 3"));
  EXPECT_EQ(parse_pattern_file("[]", "f").error().code, "pattern_file_shape");
  EXPECT_EQ(parse_pattern_file(R"({"patterns": {}})", "f").error().code, "pattern_file_shape");
  EXPECT_EQ(parse_pattern_file("{\"patterns\": [\"\xff\"]}", "f").error().code, "pattern_file_syntax");
  EXPECT_EQ(parse_pattern_file(std::string(kMaxPatternFileBytes + 1, ' '), "f").error().code,
            "pattern_file_too_large");
  std::string many = R"({"patterns": [0)";
  for (std::size_t i = 0; i < kMaxPatternsInFile; ++i) many += ",0";
  EXPECT_EQ(parse_pattern_file(many + "]}", "f").error().code, "pattern_file_too_large");
  EXPECT_EQ(parse_pattern_file(std::string(1 << 20, '['), "f").error().code, "pattern_file_syntax");
}

TEST(PatternFile, OnlyRegularFilesAreRead) {
  const ScratchFolder folder;
  EXPECT_EQ(read_pattern_file(folder.path()).error().code, "pattern_file_unreadable");
  EXPECT_EQ(read_pattern_file(folder.path() + "/none").error().code, "pattern_file_unreadable");
  EXPECT_EQ(read_pattern_file("/dev/zero").error().code, "pattern_file_unreadable");
  const auto file =
      read_pattern_file(folder.write("a.json", R"({"patterns": [{"name": "a", "error_patterns": ["a"]}]})"));
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->patterns.size(), 1u);
}

}  // namespace
}  // namespace luzia
