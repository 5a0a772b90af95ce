// luzia issues check: needs no daemon, prints a verdict per pattern, exits with code 2 if one is refused.
#include <algorithm>

#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

class IssuesCheck : public ProgramTest {
 protected:
  std::string write(const std::string& text) { return ProgramTest::write("known_issues.json", text); }
  static Ran run(std::vector<std::string> words) {
    words.insert(words.begin(), {"issues", "check"});
    return run_as_typed(std::move(words));
  }
};

TEST_F(IssuesCheck, ReportsEachPattern) {
  const Ran ran = run({write(R"json({"patterns": [{"name": "bad", "error_patterns": ["x", "y(?=z)"]},
      {"name": "end", "error_patterns": ["b\\Z"]}, {"name": "plain", "error_patterns": ["c"]}]})json")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out,
            "translated  end\nok          plain\nrefused     bad: error_patterns[1] at 1: a lookahead\n");
  EXPECT_THAT(ran.err, HasSubstr(": 2 patterns taken, 1 refused\n"));
}

TEST_F(IssuesCheck, UnknownReplacedNamesAreReported) {
  const std::string path = write(R"json({"patterns": [{"name": "a", "error_patterns": ["a"],
      "instead_of": ["b", "git-push-failed", "git-psuh-failed"]}, {"name": "b", "error_patterns": ["b"]}]})json");
  const Ran ran = run({path});
  EXPECT_EQ(ran.code, 0) << "the rest of the file is valid";
  EXPECT_EQ(ran.out,
            "ok          a\nwarning     a: instead_of names git-psuh-failed, but no pattern has that name\n"
            "ok          b\n");
  EXPECT_THAT(run({path, "--json"}).out,
              HasSubstr(R"({"name":"a","state":"ok","unknown_instead_of":["git-psuh-failed"]},)"));
}

TEST_F(IssuesCheck, CountsPatternsNotReasons) {
  const Ran ran = run({write(R"json({"patterns": [
      {"name": "worst", "severity": "fatal", "auto_fixable": true, "error_patterns": ["(?=y)", "(?<=z)x", "a"]},
      {"name": "same", "error_patterns": ["b"]}, {"name": "same", "error_patterns": ["c"]}, 7]})json")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 7) << "each reason is reported: " << ran.out;
  EXPECT_THAT(ran.err, HasSubstr(": 1 pattern taken, 3 refused\n"));
}

TEST_F(IssuesCheck, ExampleFromTheHelpIsAccepted) {
  const std::string_view help = kIssuesCommand.examples;
  const std::size_t begin = help.find("\n{\"patterns\"");
  ASSERT_NE(begin, std::string_view::npos);
  const Ran ran = run({write(std::string(help.substr(begin)))});
  EXPECT_EQ(ran.out, "ok          stale-client\n");
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(IssuesCheck, ValidFilesSucceed) {
  const std::string path = write(R"({"patterns": [{"name": "plain", "error_patterns": ["c"]}]})");
  EXPECT_EQ(run({path}).code, 0);
  EXPECT_EQ(run({path, "--json"}).out,
            R"({"files":[{"path":")" + path +
                R"(","error":null,"patterns":[{"name":"plain","state":"ok"}]}],"ok":true})" + "\n");
}

TEST_F(IssuesCheck, UnreadableFileIsRefused) {
  const Ran ran = run({write("{"), store_ + "/none"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no JSON at line 1"));
  EXPECT_THAT(ran.err, HasSubstr("none: No such file or directory"));
  EXPECT_THAT(run({store_ + "/none", "--json"}).out, HasSubstr(R"("ok":false)"));
}

}  // namespace
}  // namespace luzia
