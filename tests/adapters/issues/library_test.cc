// The shipped patterns: each finds its examples, and ordinary output matches none.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/job/first_cause.h"
#include "tests/adapters/issues/support.h"
#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/text_files.h"

namespace luzia {
namespace {

class Library : public testing::Test {
 protected:
  static std::vector<IssuePattern> shipped() {
    std::vector<IssuePattern> all;
    for (PatternFile& file : shipped_patterns()) std::ranges::move(file.patterns, std::back_inserter(all));
    return all;
  }

  static const CompiledPatterns& patterns() {
    static const std::shared_ptr<const CompiledPatterns> made = compiled(shipped());
    return *made;
  }

  static std::set<std::string> hits(const std::string& line) {
    std::set<std::string> names;
    for (const auto& fact : facts_of(patterns(), line)) names.insert(fact.pattern);
    return names;
  }

  /// Calls `each(pattern, its JSON)` for every pattern of the files.
  template <class Each>
  static void for_each(Each each) {
    for (const ShippedFile& file : shipped_pattern_files()) {
      const auto json = nlohmann::json::parse(file.json);
      for (const auto& pattern : json.at("patterns")) each(pattern.at("name").get<std::string>(), pattern);
    }
  }
};

TEST_F(Library, IsCompleteAndLarge) {
  std::set<std::string> names, families;
  std::size_t files = 0;
  for (const PatternFile& file : shipped_patterns()) {
    ++files;
    for (const RefusedPattern& refused : file.refused) ADD_FAILURE() << refused.text();
    for (const IssuePattern& pattern : file.patterns) {
      EXPECT_TRUE(names.insert(pattern.name).second) << pattern.name << " is there twice";
      families.insert(pattern.family);
      EXPECT_NE(pattern.description, "") << pattern.name;
      EXPECT_NE(pattern.fix, "") << pattern.name;
      EXPECT_EQ(pattern.project, "") << pattern.name;
    }
  }
  for (const IssuePattern& pattern : shipped()) {
    for (const std::string& other : pattern.instead_of) {
      EXPECT_TRUE(other != pattern.name && names.contains(other)) << pattern.name << " instead of " << other;
    }
  }
  EXPECT_EQ(files, shipped_pattern_files().size());
  EXPECT_GE(names.size(), 240u);
  for (const char* family : {"container", "permissions", "missing-modules", "build", "configuration",
                             "network", "memory", "type-checking", "missing-files", "git", "disk", "auth",
                             "rate-limits", "test-failures", "ci", "lint", "packages"}) {
    EXPECT_TRUE(families.contains(family)) << family;
  }
}

TEST_F(Library, EachExampleMatchesOnlyTheNamedPatterns) {
  for_each([](const std::string& name, const nlohmann::json& pattern) {
    const auto& examples = pattern.at("examples");
    const auto& matching = examples.at("match");
    EXPECT_GE(matching.size(), 2u) << name;
    std::set<std::string> also = examples.value("also", std::set<std::string>());
    also.insert(name);
    for (const std::string line : matching) {
      const std::set<std::string> found = hits(line);
      EXPECT_TRUE(found.contains(name)) << name << ": " << line;
      for (const std::string& one : found) {
        EXPECT_TRUE(also.contains(one)) << one << " finds an example of " << name << ": " << line;
      }
    }
  });
}

/// Patterns that look at earlier lines: the line that is reported, and captures of both lines.
TEST_F(Library, ShownExamplesAreReportedWhereTheySay) {
  std::size_t checked = 0;
  for_each([&checked](const std::string& name, const nlohmann::json& pattern) {
    const auto& examples = pattern.at("examples");
    EXPECT_EQ(examples.contains("shown"), pattern.contains("earlier")) << name;
    for (const auto& shown : examples.value("shown", nlohmann::json::array())) {
      const std::string text = shown.at("text"), line = shown.at("line");
      ++checked;
      const auto facts = facts_of(patterns(), text);
      const auto fact = std::ranges::find_if(
          facts, [&](const auto& each) { return each.pattern == name && each.line == line; });
      ASSERT_NE(fact, facts.end()) << name << ": " << text;
      EXPECT_EQ(text.compare(fact->offset, line.size(), line), 0) << name << ": " << text;
      std::map<std::string, std::string> captures;
      for (const auto& capture : fact->captures) captures[capture->key] = capture->value;
      const auto expected = shown.value("captures", nlohmann::json::object());
      for (const auto& [key, value] : expected.items()) {
        EXPECT_EQ(captures[key], value.get<std::string>()) << name << ": " << text;
      }
    }
  });
  EXPECT_GE(checked, 5u);
}

/// Outputs of failed runs, and how their failure is told.
TEST_F(Library, FailuresAreToldByTheirFirstCause) {
  std::size_t checked = 0;
  for_each([&checked](const std::string& name, const nlohmann::json& pattern) {
    for (const auto& example : pattern.at("examples").value("failure", nlohmann::json::array())) {
      ++checked;
      const auto facts = facts_of(patterns(), example.at("text").get<std::string>());
      std::vector<SeenIssue> seen;
      std::set<std::string> fingerprints;
      for (const auto& fact : facts) {
        if (!fingerprints.insert(fact.fingerprint).second) continue;  // rows know the first one
        seen.push_back(seen_issue(fact, fact.line_no, fact.offset));
      }
      const auto failure = first_cause(std::move(seen));
      ASSERT_TRUE(failure.has_value()) << name;
      EXPECT_EQ(failure->summary, example.at("summary").get<std::string>()) << name;
      EXPECT_EQ(failure->test, example.at("test").get<std::string>()) << name;
      EXPECT_EQ(failure->first_line, example.at("line").get<std::uint64_t>()) << name;
    }
  });
  EXPECT_GE(checked, 25u);
}

TEST_F(Library, LookalikesMatchNothing) {
  for_each([](const std::string& name, const nlohmann::json& pattern) {
    const auto& near_misses = pattern.at("examples").at("near_miss");
    EXPECT_GE(near_misses.size(), 2u) << name;
    for (const std::string line : near_misses) EXPECT_THAT(hits(line), IsEmpty()) << name << ": " << line;
  });
}

TEST_F(Library, ExamplesMatchWithColorsAndWindowsLineEnds) {
  for_each([](const std::string& name, const nlohmann::json& pattern) {
    for (std::string line : pattern.at("examples").at("match")) {
      while (line.ends_with('\r')) line.pop_back();
      const std::size_t middle = line.size() / 2;
      EXPECT_TRUE(hits("\x1b[31m" + line.substr(0, middle) + "\x1b[1m" + line.substr(middle) + "\x1b[0m\r\n")
                      .contains(name))
          << name << ": " << line;
    }
  });
}

TEST_F(Library, ExamplesMatchUncompiled) {
  std::string text;
  for_each([&text](const std::string&, const nlohmann::json& pattern) {
    for (const auto& lines : pattern.at("examples")) {
      for (const auto& line : lines)
        text += (line.is_object() ? line.at("text") : line).get<std::string>() + "\n";
    }
  });
  const auto expected = told(facts_of(patterns(), text));
  ASSERT_GT(expected.size(), 300u);
  EXPECT_EQ(told(facts_of(*uncompiled(shipped()), text)), expected);
}

/// What makes a line ordinary holds for the shipped patterns only, and not for the last attempt.
TEST_F(Library, OrdinaryLinesConcernOnlyShippedPatterns) {
  const std::string passed = "ok 12 - Error: connect ECONNREFUSED 127.0.0.1:80";
  EXPECT_THAT(hits(passed), IsEmpty());
  EXPECT_THAT(hits("not " + passed), Not(IsEmpty()));
  const std::string refused = "dial tcp [::1]:6379: connect: connection refused";
  EXPECT_THAT(hits(refused + ", retrying"), IsEmpty());
  EXPECT_THAT(hits(refused + ", giving up"), Not(IsEmpty()));
  EXPECT_THAT(hits(refused + ", no longer trying, stopped retrying"), Not(IsEmpty()));
  EXPECT_EQ(told(facts_of(*compiled({pattern_of("own", {"ECONNREFUSED"})}), passed)),
            std::vector<std::string>{"1@0 own"});
}

/// Whether the line is of a diff, the lines above it say.
TEST_F(Library, LinesOfDiffsAreOrdinary) {
  const std::string full = "ENOSPC: no space left on device\n";
  for (const std::string before : {"", "@@ that was all\nchanged\n", "--- a/x\n"}) {
    EXPECT_THAT(hits(before + "+--- " + full), Contains("disk-full")) << before;
    EXPECT_THAT(hits(before + "+" + full), Contains("disk-full")) << before;
    EXPECT_THAT(hits(before + "+ Error: " + full), Contains("disk-full")) << before;
    EXPECT_THAT(hits(before + "- throw " + full), Contains("disk-full")) << before;
    EXPECT_THAT(hits(before + "+ throw " + full), IsEmpty()) << "like a traced command";
  }
  for (const std::string head : {"@@ -1,2 +1,2 @@ f()\n", "\x1b[1;36m@@ @@\x1b[0m\r\n", "*** Add File: a\n",
                                 "*** Update File: a\n@@\n"}) {
    for (const std::string lines : {"", "+a\n", "-a\n b\n\n\\ No newline at end of file\n"}) {
      EXPECT_THAT(hits(head + lines + "+" + full + "- Error: " + full), IsEmpty()) << head << lines;
      EXPECT_THAT(hits(head + lines + "Error: " + full), Contains("disk-full")) << head << lines;
    }
  }
  std::string many = "@@ @@\n";
  for (int i = 0; i < 100'000; ++i) many += "+" + full + "+x\n";
  EXPECT_THAT(hits(many), IsEmpty()) << "each answer leads to the next";
  EXPECT_THAT(hits(many + "end\n+" + full), Contains("disk-full"));
  const std::string long_part(1 << 20, 'x');
  EXPECT_THAT(hits("@@ @@\n+" + long_part + "\n+" + full), Contains("disk-full")) << "its head is too far";
}

/// Messages after which programs often go on are no reason to look at a command that ended well.
TEST_F(Library, CommandsThatEndWellMayProbe) {
  for (const char* text : {
           "$ awesome_bot README.md || true\nIssues :-(\n  1. [L0142] 404 https://example.com/gone\n",
           "checking whether ld takes -z...\nld: unrecognized option '--foo'\nno\n",
           "$ git ls-remote git@example.com:x/y.git\nfatal: Could not read from remote repository.\nnone "
           "yet\n",
       }) {
    const auto facts = facts_of(patterns(), text);
    std::vector<SeenIssue> seen;
    for (const auto& fact : facts) seen.push_back(seen_issue(fact, fact.line_no, fact.offset));
    ASSERT_FALSE(seen.empty()) << text;
    for (const IssueFold& fold : fold_issues(seen, nullptr)) EXPECT_TRUE(fold.folded) << text;
    const auto cause = first_cause(seen);
    ASSERT_TRUE(cause.has_value()) << text;
    EXPECT_FALSE(fold_issues(seen, &*cause).front().folded) << text << "if it failed, it may be why";
  }
}

/// Help texts, logs of builds and passing tests, source code, a git log, prose about errors.
TEST_F(Library, OrdinaryOutputMatchesNothing) {
  std::vector<std::string> paths = {source_path("README.md"), source_path("schema/LOG_FORMAT.md"),
                                    source_path("bench/README.md")};
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path("tests/adapters/issues/ordinary"))) {
    paths.push_back(entry.path().string());
  }
  ASSERT_GE(paths.size(), 9u);
  for (const std::string& path : paths) {
    const std::string text = whole_text(path);
    ASSERT_GT(text.size(), 1'000u) << path;
    for (const auto& fact : facts_of(patterns(), text)) {
      ADD_FAILURE() << path << ":" << fact.line_no << ": " << fact.pattern << ": " << fact.line;
    }
  }
}

}  // namespace
}  // namespace luzia
