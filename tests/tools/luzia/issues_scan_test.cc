// luzia issues scan: finds known problems in any text, without a daemon.
#include <nlohmann/json.hpp>

#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

class IssuesScan : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("known.json", R"json({"patterns": [
        {"name": "boom", "error_patterns": ["it went (?P<what>\\w+)"], "fix": "put {what} out"},
        {"name": "own-boom", "error_patterns": ["it went off"], "project": "web", "instead_of": ["boom"]}]})json");
    write("luzia.toml", "[issues]\nfiles = [\"" + store_ + "/known.json\"]\n");
  }
  Ran scan(std::vector<std::string> words) const {
    words.insert(words.begin(), {"issues", "scan"});
    words.insert(words.end(), {"--config", store_ + "/luzia.toml"});
    return run_as_typed(std::move(words));
  }
};

TEST_F(IssuesScan, EachProblemIsShownOnceWithItsPlaceAndFix) {
  const std::string text = write("text", "fine\n\x1b[31mit went bang\x1b[0m\nfine\nit went bang\n" +
                                             std::string(95, '\n') + "it went off");
  const Ran ran = scan({text});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("error boom  2 times, 1 more like it\n"),
                    HasSubstr("where:  line 2: it went bang\n"), HasSubstr("fix:    put bang out\n")));
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("job")), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("1 problem, in 3 lines"), HasSubstr("1 problem folded")));
  EXPECT_EQ(nlohmann::json::parse(scan({text, "--json"}).out).at("issues").size(), 1u);
  const Ran all = scan({text, "--all"});
  EXPECT_THAT(all.out, HasSubstr("line 100: it went off\n"));
  EXPECT_THAT(all.err, AllOf(HasSubstr("2 problems, in 3 lines"), Not(HasSubstr("folded"))));
  const auto issues = nlohmann::json::parse(scan({text, "--json", "--all"}).out).at("issues");
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_EQ(issues[0]["count"], 2);
  EXPECT_EQ(issues[0]["first_offset"], 5);
}

TEST_F(IssuesScan, ProjectsOwnPatternsApplyWhenItIsNamed) {
  const std::string text = write("text", "it went off\n");
  EXPECT_THAT(scan({text}).out, HasSubstr("error boom"));
  EXPECT_THAT(scan({text, "--project", "web"}).out,
              AllOf(HasSubstr("error own-boom"), Not(HasSubstr("error boom"))));
}

TEST_F(IssuesScan, ShippedPatternsApply) {
  const Ran ran = scan({write("text", "ModuleNotFoundError: No module named 'requests'\n")});
  EXPECT_THAT(ran.out, HasSubstr("requests"));
  EXPECT_THAT(scan({write("clean", "all is well\n")}).err, HasSubstr("no known problem"));
}

TEST_F(IssuesScan, LinesLongerThanABlockDoNotHideTheNext) {
  const std::string text = write("text", std::string(3 << 20, 'x') + "\nit went bang\n");
  EXPECT_THAT(scan({text}).out, HasSubstr("where:  line 2: it went bang\n"));
}

/// The text is read in pieces; the earlier line is in the one before.
TEST_F(IssuesScan, EarlierLinesAreFoundAcrossPieces) {
  write("known.json", R"json({"patterns": [{"name": "exit", "error_patterns": ["^exit (?P<code>[1-9])$"],
      "earlier": [{"line": "^(?P<what>bad) ", "within": 200, "shown": true}]}]})json");
  std::string text;
  for (int i = 0; i < 12'000; ++i) {
    text += "bad " + std::to_string(i) + "\n" + std::string(60, 'x') + "\nexit 1\n";
  }
  const auto issues =
      nlohmann::json::parse(scan({write("text", text + "exit 0\n"), "--json"}).out).at("issues");
  ASSERT_EQ(issues.size(), 1u) << "numbers do not tell problems apart";
  EXPECT_EQ(issues[0]["count"], 12'000);
  EXPECT_EQ(issues[0]["line"], "bad 0");
}

TEST_F(IssuesScan, MistakesAreOneLine) {
  EXPECT_EQ(scan({}).code, 2);
  EXPECT_THAT(scan({store_ + "/absent"}).err, HasSubstr("absent"));
  const Ran refused = scan({write("text", "x\n"), "--since", "2h"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--since"));
}

}  // namespace
}  // namespace luzia
