// Known problems in output: each is reported once, repeats are counted, and every line is checked once,
// however the output is split into reads.
#include "adapters/output_log/issue_tally.h"

#include "tests/adapters/output_log/support.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

/// Knows one problem: a line that contains "boom". The text before it tells problems apart.
class BoomMatcher final : public IssueMatcher {
 public:
  std::size_t match(const LineBlock& block, std::size_t most,
                    std::vector<schema::IssueDetectedT>& found) const override {
    std::size_t at = 0;
    for (std::uint64_t number = block.first_line; at < block.text.size(); ++number) {
      if (found.size() >= most) return at;
      const std::size_t end = std::min(block.text.find('\n', at), block.text.size());
      const std::string_view line = block.text.substr(at, end - at);
      const std::size_t boom = line.find("boom");
      if (boom != std::string_view::npos) {
        schema::IssueDetectedT issue;
        issue.pattern = "boom";
        issue.fingerprint = line.substr(0, boom);
        issue.line = line;
        issue.offset = block.offset + at;
        issue.line_no = number;
        found.push_back(std::move(issue));
      }
      at = std::min(end + 1, block.text.size());
    }
    return at;
  }
};

/// Treats lines that begin with '{' as the agent's; the text after it is a tool's output.
class BraceDecoder final : public LineDecoder {
 public:
  bool decode(const Line& line, std::vector<RecordOutput::Finding>&, std::string& text) const override {
    if (!line.text.starts_with('{')) return false;
    text.append(line.text.substr(1)).append("\n");
    return true;
  }
};

/// "told a 0-6 line 1", "again a x3 20-40 last 17".
std::string told(const RecordOutput::Finding& finding) {
  const auto& issue = std::get<schema::IssueFactUnion>(finding.fact);
  const auto place =
      std::to_string(finding.evidence.log_from) + "-" + std::to_string(finding.evidence.log_to);
  if (const auto* first = issue.AsIssueDetected()) {
    return "told " + first->fingerprint + " " + place + " line " + std::to_string(first->line_no);
  }
  const auto& again = *issue.AsIssueRepeated();
  return "again " + again.fingerprint + " x" + std::to_string(again.count) + " " + place + " last " +
         std::to_string(again.last_line_no);
}

class IssueTallyTest : public testing::Test {
 protected:
  std::vector<std::string> look(std::optional<std::uint64_t> finish_at = {}) {
    ScanBuffer buffer(limits_.read_block);
    ScanResult result = scan_step({source(), checkpoint_, finish_at, 0}, limits_, buffer);
    checkpoint_ = result.checkpoint;
    std::vector<std::string> all;
    for (const auto& finding : result.findings) all.push_back(told(finding));
    return all;
  }
  std::shared_ptr<const ScanSource> source() {
    ScanSource source{dir_.path(), getuid(), 3, std::make_shared<const BraceDecoder>(), {}};
    source.issues = tally_;
    return std::make_shared<const ScanSource>(std::move(source));
  }

  JobDir dir_;
  ScanLimits limits_;
  schema::CheckpointT checkpoint_;
  std::shared_ptr<IssueTally> tally_ =
      std::make_shared<IssueTally>([] { return std::make_shared<const BoomMatcher>(); });
};

TEST_F(IssueTallyTest, ProblemIsReportedOnceAndRepeatsAreCounted) {
  dir_.append("fine\na boom\nfine\na boom\nb boom\na boom\n");
  EXPECT_THAT(look(), ElementsAre("told a  5-11 line 2", "again a  x2 5-37 last 6", "told b  24-30 line 5"));
  dir_.append("a boom\n");
  EXPECT_THAT(look(), ElementsAre("again a  x1 38-44 last 7"));
  dir_.append("fine\n");
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(IssueTallyTest, UnfinishedLineIsCheckedOnceComplete) {
  dir_.append("a bo");
  EXPECT_THAT(look(), IsEmpty());
  dir_.append("om");
  EXPECT_THAT(look(), IsEmpty());
  dir_.append(" x\nb boom");
  EXPECT_THAT(look(), ElementsAre("told a  0-8 line 1"));
  EXPECT_THAT(look(15), ElementsAre("told b  9-15 line 2"));
}

TEST_F(IssueTallyTest, ToolOutputInAnAgentsLineIsChecked) {
  dir_.append("plain\n{a boom\nb boom\n{fine\n");
  EXPECT_THAT(look(), ElementsAre("told a  6-14 line 2", "told b  14-20 line 3"));
}

TEST_F(IssueTallyTest, PiecesGiveTheSameFindings) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += (i % 7 == 0 ? "boom " : "x ") + std::to_string(i) + "\n";
  dir_.append(text);
  limits_.read_block = 64;
  EXPECT_THAT(look(), ElementsAre("told  0-6 line 1",
                                  "again  x57 0-" + std::to_string(text.size() - 1) + " last 400"));
}

TEST_F(IssueTallyTest, OversizedLineIsCheckedAsFarAsKept) {
  dir_.append("boom" + std::string(kMaxKeptLine, 'x') + "boom\nboom\n");
  const auto found = look();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], "told  0-" + std::to_string(kMaxKeptLine) + " line 1");
}

TEST_F(IssueTallyTest, ManyProblemsAreCountedByPattern) {
  std::string text;
  for (std::size_t i = 0; i < IssueTally::kMostFingerprints + 1000; ++i) text += std::to_string(i) + "boom\n";
  dir_.append(text);
  const auto found = look();
  ASSERT_EQ(found.size(), IssueTally::kMostFingerprints + 2);
  EXPECT_THAT(found[found.size() - 2], testing::StartsWith("told boom:other "));
  EXPECT_THAT(found.back(), testing::StartsWith("again boom:other x999 "));
}

TEST_F(IssueTallyTest, AfterALossEverythingIsReportedAgain) {
  dir_.append("a boom\n");
  EXPECT_THAT(look(), ElementsAre("told a  0-6 line 1"));
  checkpoint_ = {};
  tally_->forget();
  EXPECT_THAT(look(), ElementsAre("told a  0-6 line 1"));
}

TEST_F(IssueTallyTest, WithoutPatternsNothingIsFound) {
  tally_ = std::make_shared<IssueTally>([] { return nullptr; });
  dir_.append("a boom\n{b boom\n");
  EXPECT_THAT(look(), IsEmpty());
}

}  // namespace
}  // namespace luzia
