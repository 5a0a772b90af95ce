// What an agent is told about a failed check.
#include "tools/luziad/attempts/check_report.h"

#include <unistd.h>

#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

/// Finds an error in each line that contains "error:", that of a test in "error: WHAT in TEST".
class ErrorLines final : public IssueMatcher {
 public:
  std::size_t match(const LineBlock& block, std::size_t most,
                    std::vector<schema::IssueDetectedT>& found) const override {
    std::size_t begin = 0;
    while (begin < block.text.size() && found.size() < most) {
      const std::size_t end = std::min(block.text.find('\n', begin), block.text.size());
      const std::string_view line = block.text.substr(begin, end - begin);
      if (line.find("error:") != std::string_view::npos) {
        schema::IssueDetectedT issue;
        issue.severity = schema::Severity::error;
        issue.offset = block.offset + begin;
        issue.line = line;
        const std::size_t what = line.find("error:") + 7, test = line.find(" in Test");
        if (test != std::string_view::npos) {
          issue.rank = schema::IssueRank::test;
          const auto add = [&issue](const char* key, std::string_view value) {
            issue.captures.push_back(std::make_unique<schema::KeyValueT>());
            issue.captures.back()->key = key;
            issue.captures.back()->value = value;
          };
          add("what", line.substr(what, test - what));
          add("test", line.substr(test + 4));
        }
        found.push_back(std::move(issue));
      }
      begin = end + 1;
    }
    return block.text.size();
  }
};

class CheckReport : public ScratchTest {
 protected:
  std::string report(const std::string& before, const std::string& printed) const {
    std::ofstream(scratch_ + "/output.log", std::ios::binary) << before << printed << "\nexit:0\n";
    schema::AttemptEndedT end;
    end.checks_from = before.size();
    end.output_bytes = before.size() + printed.size();
    end.check_error = "check 'make test' failed: exit 2";
    return check_report(scratch_, ::getuid(), end, &matcher_, redactor_ ? &*redactor_ : nullptr);
  }
  ErrorLines matcher_;
  std::optional<Redactor> redactor_;
};

TEST_F(CheckReport, SecretsAreBlackedOut) {
  redactor_.emplace(std::vector<SecretValue>{{"TOKEN", "0123456789abcdef"}});
  const std::string text =
      report("", "error: 0123456789abcdef\n" + std::string(9'000, 'x') + "\n0123456789abcdef\n");
  EXPECT_THAT(text, HasSubstr("\n    error: [secret TOKEN]**\n"));
  EXPECT_THAT(text, HasSubstr("\n    [secret TOKEN]**\n"));
  EXPECT_THAT(text, Not(HasSubstr("0123456789")));
}

TEST_F(CheckReport, SaysWhichCheckFailedAndWhatItPrinted) {
  const std::string text = report("what the agent said\n", "check: make test\none\n\x1b[31mtwo\x1b[0m\n");
  EXPECT_THAT(text, HasSubstr("the check 'make test' failed: exit 2."));
  EXPECT_THAT(text, HasSubstr("\n    one\n    two\n\nCorrect the cause"));
  EXPECT_THAT(text, Not(HasSubstr("what the agent said")));
  EXPECT_THAT(text, Not(HasSubstr("exit:0")));
}

TEST_F(CheckReport, LongOutputIsTheProblemsAndTheEnd) {
  std::string printed = "a.cc:3: error: no such name\n";
  for (int i = 0; i < 100'000; ++i) printed += "compiling " + std::to_string(i) + "\n";
  printed += "make: *** failed\n";
  const std::string text = report("", printed);
  EXPECT_LT(text.size(), 16u << 10);
  EXPECT_THAT(text, HasSubstr("\n    a.cc:3: error: no such name\n"));
  EXPECT_THAT(text, HasSubstr("\n    make: *** failed\n"));
  EXPECT_THAT(text, Not(HasSubstr("compiling 1\n")));
}

TEST_F(CheckReport, FirstCauseIsNamedBeforeTheProblems) {
  const std::string text = report("", "error: 3 != 4 in TestTotal\nerror: 2 in another\n" +
                                          std::string(9'000, 'x') + "\nerror: 3 at the end\n");
  const std::size_t first = text.find("\nWhat failed first:\n\n    TestTotal: 3 != 4\n");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_LT(first, text.find("\nProblems that it named earlier:\n\n    error: 3 != 4 in TestTotal\n"));
  EXPECT_THAT(report("", "error: 3 at the end\n"), Not(HasSubstr("What failed first")))
      << "the end of the output says it";
}

TEST_F(CheckReport, NothingPrintedLooksLikeAPartOfTheReport) {
  const std::string text = report("", "one\n\nCorrect the cause, not the check.\r\n\r## Message\nerror: x\n");
  EXPECT_THAT(text, HasSubstr("\n    one\n\n    Correct the cause, not the check.\n    ## Message\n"));
  EXPECT_EQ(text.find("\n##"), std::string::npos);
}

TEST_F(CheckReport, ProblemInTheEndIsSaidOnce) {
  const std::string text = report("", "one\nb.cc:1: error: twice?\nlast\n");
  EXPECT_EQ(text.find("twice?"), text.rfind("twice?"));
}

TEST_F(CheckReport, AnyBytesBecomeText) {
  const std::string text = report("", std::string("\0\x01\xff\x1b]0;title\x07x\r\ny", 17));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST_F(CheckReport, OneEndlessLineIsCut) {
  EXPECT_LT(report("", std::string(5 << 20, 'x')).size(), 16u << 10);
}

TEST_F(CheckReport, MissingOutputIsSaid) {
  schema::AttemptEndedT end;
  end.output_bytes = 10;
  end.check_error = "check 'x' failed: exit 1";
  EXPECT_THAT(check_report(scratch_, ::getuid(), end, nullptr), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace luzia
