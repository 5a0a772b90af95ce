// The meaning of output lines does not depend on how the output is split into reads.
#include <gtest/gtest.h>

#include "tests/adapters/agents/recorded_runs.h"

namespace luzia {
namespace {

class Chunks : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    format_ = expectation_of(GetParam()).format;
    output_ = read_file(runs_folder() + GetParam() + ".jsonl");
    whole_ = bytes_of(findings_of(format_, output_));
  }
  /// The output in pieces of one size.
  std::vector<std::size_t> pieces(std::size_t size) const {
    std::vector<std::size_t> ends;
    for (std::size_t end = size; end < output_.size(); end += size) ends.push_back(end);
    ends.push_back(output_.size());
    return ends;
  }

  std::string format_, output_;
  std::vector<std::string> whole_;
};

/// Splits the output in two at each of the first 12,000 bytes: every place within the lines of every agent.
TEST_P(Chunks, SplittingInTwoChangesNothing) {
  const std::size_t last = std::min<std::size_t>(output_.size(), 12'000);
  const std::string_view beginning = std::string_view(output_).substr(0, last);
  const auto expected = bytes_of(findings_of(format_, beginning));
  for (std::size_t at = 0; at <= last; ++at) {
    ASSERT_TRUE(bytes_of(findings_of(format_, beginning, {at, last})) == expected) << "cut at " << at;
  }
}

TEST_P(Chunks, ChunkSizeChangesNothing) {
  for (const std::size_t size : {1, 7, 100, 4096, 65'536, 65'537}) {
    if (size < 100 && output_.size() > 50'000)
      continue;  // else each byte of a huge line would be read again and again
    ASSERT_TRUE(bytes_of(findings_of(format_, output_, pieces(size))) == whole_) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Some, Chunks,
                         testing::Values("claude-s3", "claude-s8", "codex-s3", "codex-s11", "gemini-s8",
                                         "gemini-s11", "opencode-s1", "opencode-s11"),
                         name_of_run);

}  // namespace
}  // namespace luzia
