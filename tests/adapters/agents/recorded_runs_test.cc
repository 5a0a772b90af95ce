// What real agents printed, and the facts that must be known after each run.
#include "tests/adapters/agents/recorded_runs.h"

#include <gtest/gtest.h>

#include "engine/ports/agent.h"
#include "tests/adapters/agents/run_facts.h"

namespace luzia {
namespace {

RunFacts facts_of(const std::string& run, const std::string& format) {
  RunFacts facts;
  const std::string output = read_file(runs_folder() + run + ".jsonl");
  for (const auto& finding : findings_of(format, output)) facts.add(finding);
  return facts;
}

class RecordedRun : public testing::TestWithParam<std::string> {};

TEST_P(RecordedRun, GivesTheExpectedFacts) {
  const Expectation expected = expectation_of(GetParam());
  RunFacts before;
  if (!expected.before.empty()) before = facts_of(expected.before, expected.format);
  const RunFacts facts = facts_of(GetParam(), expected.format);
  EXPECT_EQ(facts.text(expected.before.empty() ? nullptr : &before), expected.facts);
}

TEST_P(RecordedRun, AutoRecognizesEveryLine) {
  const Expectation expected = expectation_of(GetParam());
  const std::string output = read_file(runs_folder() + GetParam() + ".jsonl");
  EXPECT_TRUE(bytes_of(findings_of("auto", output)) == bytes_of(findings_of(expected.format, output)));
}

/// Decoders ignore other agents' lines, so that a wrong `output` setting cannot invent facts.
TEST_P(RecordedRun, IsIgnoredByOtherAgentsDecoders) {
  const Expectation expected = expectation_of(GetParam());
  const std::string output = read_file(runs_folder() + GetParam() + ".jsonl");
  std::vector<std::string> formats = agent_formats();
  formats.emplace_back("text");
  for (const std::string& format : formats) {
    if (format == expected.format) continue;
    EXPECT_EQ(findings_of(format, output).size(), 0u) << format;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecordedRun, testing::ValuesIn(recorded_runs()), name_of_run);

}  // namespace
}  // namespace luzia
