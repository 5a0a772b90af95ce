// Crashes between any two steps of scanning: only what was not recorded is read again.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/adapters/output_log/support.h"

namespace luzia {
namespace {

/// The part of the log's state that the output decider uses.
struct Log {
  schema::CheckpointT checkpoint;
  std::uint64_t lines = 0;
  std::vector<std::string> annotations;
  std::vector<std::string> marks;

  void record(const ScanResult& result) {
    checkpoint = result.checkpoint;
    lines += result.lines;
    for (const std::string& text : describe(result.findings)) {
      (text.starts_with("osc") ? marks : annotations).push_back(text);
    }
  }
};

/// The last mark of each line: those do not depend on how the file was read.
std::vector<std::string> last_marks(const std::vector<std::string>& marks, std::string_view file) {
  std::map<std::ptrdiff_t, std::string> of_line;
  for (const std::string& mark : marks) {
    const std::size_t from = std::stoul(mark.substr(4));
    of_line[std::count(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(from), '\n')] = mark;
  }
  std::vector<std::string> last;
  for (const auto& [line, mark] : of_line) last.push_back(mark);
  return last;
}

std::string random_output(std::mt19937& random, std::size_t pieces) {
  std::string output;
  for (std::size_t i = 0; i < pieces; ++i) {
    switch (random() % 7) {
      case 0:
        output += "::error::e" + std::to_string(i) + "\n";
        break;
      case 1:
        output += "\x1b]9;4;1;" + std::to_string(random() % 100) + "\a";
        break;
      case 2:
        output += "\r\n";
        break;
      case 3:
        output += std::string("exit:0\n\0\xFF", 9);
        break;
      case 4:
        output += "::group::g" + std::to_string(i);
        break;
      case 5:
        output += "\n";
        break;
      case 6:
        if (random() % 4 == 0) output += std::string(kMaxKeptLine + random() % 3 - 1, 'z');
        break;
    }
  }
  return output;
}

ScanResult step(const JobDir& dir, const schema::CheckpointT& from, std::optional<std::uint64_t> finish_at,
                const ScanLimits& limits) {
  ScanBuffer buffer(limits.read_block);
  return scan_step({text_source(dir), from, finish_at, 0}, limits, buffer);
}

Log read_at_once(const std::string& output) {
  const JobDir dir;
  dir.append(output);
  Log log;
  ScanLimits limits;
  limits.findings_at_most = SIZE_MAX;
  log.record(step(dir, {}, output.size(), limits));
  return log;
}

void expect_equal(const Log& log, const Log& expected, std::string_view file) {
  EXPECT_EQ(log.annotations, expected.annotations);
  EXPECT_EQ(log.lines, expected.lines);
  EXPECT_EQ(log.checkpoint.scanned_to, file.size());
  EXPECT_EQ(log.checkpoint.line_no, log.lines);
  EXPECT_EQ(log.checkpoint.generation, 0u);
  EXPECT_EQ(last_marks(log.marks, file), last_marks(expected.marks, file));
  EXPECT_EQ(std::set(log.marks.begin(), log.marks.end()).size(), log.marks.size())
      << "a mark was found twice";
}

TEST(ScannerCrash, RandomCrashesLoseAndRepeatNothing) {
  std::mt19937 random(3);
  for (int round = 0; round < 150; ++round) {
    const std::string output = random_output(random, 40);
    const JobDir dir;
    Log log;
    schema::CheckpointT memory;
    std::size_t written = 0;
    bool finished = false;
    while (!finished) {
      if (random() % 2 && written < output.size()) {
        const std::size_t portion = std::min<std::size_t>(output.size() - written, 1 + random() % 3000);
        dir.append(std::string_view(output).substr(written, portion));
        written += portion;
      }
      const bool at_end = written == output.size();
      ScanLimits limits{1 + random() % 5000, 1 + random() % 9000, 1 + random() % 4};
      const auto result = step(dir, memory, at_end ? std::optional(output.size()) : std::nullopt, limits);
      ASSERT_FALSE(result.restarted);
      memory = result.checkpoint;
      if (random() % 3 == 0) {
        memory = log.checkpoint;  // killed before the stretch was recorded
      } else {
        log.record(result);
        finished = result.finished;
      }
    }
    expect_equal(log, read_at_once(output), output);
  }
}

/// Records every step before the crash and none from there on, then reads again.
TEST(ScannerCrash, CrashAtEachStepOfAFileIsHarmless) {
  std::mt19937 random(5);
  const std::string output = random_output(random, 60);
  const Log expected = read_at_once(output);
  const ScanLimits limits{500, 700, 2};
  const JobDir dir;
  dir.append(output);
  for (int crash_at = 0, steps = 1; crash_at < steps; ++crash_at) {
    Log log;
    schema::CheckpointT memory;
    int taken = 0;
    for (bool finished = false; !finished; ++taken) {
      const ScanResult result = step(dir, memory, output.size(), limits);
      memory = result.checkpoint;
      if (taken == crash_at) {
        memory = log.checkpoint;
        continue;
      }
      log.record(result);
      finished = result.finished;
    }
    steps = taken;
    expect_equal(log, expected, output);
  }
}

TEST(ScannerCrash, UnrecordedStepsAreReadAgainAsOne) {
  const JobDir dir;
  Log log;
  schema::CheckpointT memory;
  for (int i = 0; i < 10; ++i) {
    dir.append("::error::e\npart");
    memory = step(dir, memory, {}, {}).checkpoint;
  }
  log.record(step(dir, log.checkpoint, {}, {}));
  EXPECT_EQ(log.annotations.size(), 1u) << "the later generations end in the middle of a line";
  EXPECT_EQ(log.lines, 10u);
  EXPECT_EQ(log.checkpoint.scanned_to, memory.scanned_to);
  EXPECT_EQ(log.checkpoint.tail_hash, memory.tail_hash);
}

TEST(ScannerCrash, GenerationsAreNotRepeated) {
  const JobDir dir;
  Log log;
  dir.append("::error::one\n");
  log.record(step(dir, log.checkpoint, {}, {}));
  dir.overwrite("x\n");
  const ScanResult lost = step(dir, log.checkpoint, {}, {});
  EXPECT_TRUE(lost.restarted);
  const ScanResult again = step(dir, log.checkpoint, {}, {});
  EXPECT_TRUE(again.restarted);
  EXPECT_EQ(again.checkpoint.generation, 1u);
  log.record(again);
  EXPECT_FALSE(step(dir, log.checkpoint, {}, {}).restarted);
}

}  // namespace
}  // namespace luzia
