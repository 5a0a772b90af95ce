// Which lines are progress, what progress they state, and which only look like it.
#include "adapters/agents/progress_line.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "adapters/agents/decoders.h"

namespace luzia {
namespace {

/// "42", "42 3/7", "42 3/7 step", or "none".
std::string told(std::string_view line) {
  const auto progress = progress_line(line);
  if (!progress) return "none";
  std::string text = std::to_string(static_cast<int>(progress->percent));
  if (progress->of_steps > 0) {
    text += " " + std::to_string(progress->current_step) + "/" + std::to_string(progress->of_steps);
  }
  return progress->step.empty() ? text : text + " " + progress->step;
}

TEST(ProgressLine, CountsInBracketsAreStepsDone) {
  EXPECT_EQ(told("[3/7] Linking CXX executable luzia"), "42 3/7 Linking CXX executable luzia");
  EXPECT_EQ(told("[ 9/10]"), "90 9/10");
  EXPECT_EQ(told("\x1b[1;32m[2/4]\x1b[0m Fetching packages..."), "50 2/4 Fetching packages...");
  EXPECT_EQ(told("\x1b]0;a title\a[2/4] Fetching packages..."), "50 2/4 Fetching packages...");
  EXPECT_EQ(told("[100/100] done"), "100 100/100 done");
}

TEST(ProgressLine, DockerStepCountsThePreviousSteps) {
  EXPECT_EQ(told("Step 3/7 : RUN make"), "28 3/7 RUN make");
  EXPECT_EQ(told("Step 1/7 : FROM debian"), "0 1/7 FROM debian");
  EXPECT_EQ(told("#9 [build 3/4] RUN make"), "50 3/4 RUN make");
  EXPECT_EQ(told("#5 [2/4] WORKDIR /src"), "25 2/4 WORKDIR /src");
}

TEST(ProgressLine, BarsAndPercentOfCommonTools) {
  EXPECT_EQ(told(" 3/10 Test  #3: Config.Reads .......   Passed    0.01 sec"), "30 3/10 Config.Reads");
  EXPECT_EQ(told("[ 42%] Built target engine"), "42 Built target engine");
  EXPECT_EQ(told("[ 42%] \x1b[32m\x1b[1mLinking CXX executable a\x1b[0m"), "42 Linking CXX executable a");
  EXPECT_EQ(told("Receiving objects:  42% (42/100), 1.20 MiB | 2.00 MiB/s"), "42 Receiving objects");
  EXPECT_EQ(told("remote: Compressing objects: 100% (7/7), done."), "100 Compressing objects");
  EXPECT_EQ(told(" 42%|####2     | 42/100 [00:10<00:14,  4.1it/s]"), "42");
  EXPECT_EQ(told("Training:  42%|####2     | 42/100 [00:10<00:14,  4.1it/s]"), "42 Training");
  EXPECT_EQ(told("    Building [=======>                 ] 42/100: serde, tokio"), "42 serde, tokio");
  EXPECT_EQ(told("Progress: [ 42%] [########............]"), "42");
  EXPECT_EQ(told("tests/test_a.py ..F.s                   [ 42%]"), "42 tests/test_a.py");
}

TEST(ProgressLine, RedrawnBarCountsItsLastState) {
  const std::string line = "Receiving objects:   1% (1/100)\rReceiving objects:  42% (42/100)\r";
  EXPECT_EQ(told(line), "42 Receiving objects");
  const auto progress = progress_line(line);
  ASSERT_TRUE(progress);
  EXPECT_EQ(line.substr(progress->from, progress->to - progress->from), "Receiving objects:  42% (42/100)");
  EXPECT_EQ(told(std::string(60'000, '#') + "\r[1/10] a"), "10 1/10 a");
  EXPECT_EQ(told("[1/2] a\rand then something else"), "none");
}

TEST(ProgressLine, DownloadsAreNoProgressOfTheJob) {
  for (const char* line :
       {"     ━━━━━━━━━━━ 1.7/3.4 MB 5.0 MB/s eta 0:00:01",
        "model.bin            42%[=======>            ]   4.20M  1.20MB/s    eta 5s",
        "##########                                  25.5%",
        " 42  100M   42 42.0M    0     0  10.0M      0  0:00:10  0:00:04  0:00:06 10.0M"}) {
    EXPECT_EQ(told(line), "none") << line;
  }
}

TEST(ProgressLine, ProseAndOtherNumbersAreNoProgress) {
  for (const char* line : {"50% of users",
                           "We are at 50% now: 3/7 done",
                           "about 42% (42/100) of it",
                           "see [3/7]: it is there",
                           "[3/7)",
                           "[7/3] backwards",
                           "[1/1] alone",
                           "[3/0] x",
                           "[-1/7] x",
                           "[1e3/7] x",
                           "a [3/7] b",
                           "[3/7]x",
                           "Step 3/7: no",
                           "Step 0/7 : x",
                           "1/2 Test of strength",
                           "Objects: 42% (42/100)",
                           "[ 142%] Built target x",
                           "[ 42%] Building CXX object a.o",
                           "[ 42%]",
                           "100%",
                           "42%|",
                           "x 42%|a|b",
                           "42%[abc]",
                           "## 12 % of it",
                           "## Heading 50%",
                           "━━ 1/0 MB ",
                           "━━ 5.0/1.0 MB ",
                           "Building [docs] 3/7",
                           "ratio: 3/7",
                           "12:30 1/2 a/b",
                           "http://host/a%20b",
                           "date 2026/11/22",
                           "a.py and [ 42%]",
                           "tests/a.py::test_b PASSED [ 42%]",
                           "%",
                           "/",
                           "[/]",
                           "[",
                           "#1 [",
                           "Step ",
                           "[99999999999/99999999999] x",
                           ""}) {
    EXPECT_EQ(told(line), "none") << line;
  }
}

TEST(ProgressLine, FirstLookRejectsOrdinaryBuildLines) {
  for (const char* line : {"[12/90210] Building CXX object a.o", "[ 12/90210]\x1b[1m Building 50%",
                           "[8/7] backwards", "[ RUN      ] Suite.Test", "[2026-11-23 10:00:00] 50%",
                           "[INFO] 3/7", "[1234567890/7] x", "  src/a.cc:12: error", ""}) {
    EXPECT_FALSE(may_be_progress(line)) << line;
    EXPECT_EQ(told(line), "none") << line;
  }
}

/// The quick first look must let these lines pass: the count follows a color sequence or stands in a later
/// redraw.
TEST(ProgressLine, FirstLookKeepsUndecidableLines) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"[\x1b[1m3/7] x", "42 3/7 x"},
      {"[3\x1b[0m/7] x", "42 3/7 x"},
      {"[9/900\x1b[0m] x", "1 9/900 x"},
      {"[12/90210] a\r[3/7] x", "42 3/7 x"},
      {"[ RUN      ]\r 3/7 Test #3: a", "42 3/7 a"},
      {"plain\r[ 42%] Linking a", "42 Linking a"},
      {"[5/1\x1b[0m0] x", "50 5/10 x"}};
  for (const auto& [line, outcome] : lines) {
    EXPECT_TRUE(may_be_progress(line)) << line;
    EXPECT_EQ(told(line), outcome) << line;
  }
}

/// A line of random pieces of the known progress formats.
std::string line_of_pieces(std::mt19937_64& random) {
  static constexpr auto kPieces =
      std::to_array<std::string_view>({"[",           "]",           "[ ",        "] ",
                                       "[3/7] ",      "[12/90210] ", "3",         "42",
                                       "100",         "/",           "%",         "%|",
                                       "|",           "%[",          "%] ",       "#",
                                       "Step ",       " : ",         " ",         "\t",
                                       "\x1b[1m",     "\x1b",        "\r",        "Test #3: ",
                                       "===>",        "Building",    " 1/2",      ": ",
                                       "━━",          "1.7",         " MB",       "Receiving objects",
                                       "remote:",     ".py ",        "..F.",      "Linking ",
                                       "Progress: [", "-",           "999999999", "words"});
  std::string line;
  for (std::size_t pieces = random() % 8; pieces > 0; --pieces) line += kPieces[random() % kPieces.size()];
  return line;
}

TEST(ProgressLine, FirstLookNeverRejectsProgress) {
  std::mt19937_64 random(1);
  int told_of = 0, passed_by = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::string line = line_of_pieces(random);
    const bool is_progress = progress_line(line).has_value();
    ASSERT_TRUE(may_be_progress(line) || !is_progress) << line;
    told_of += is_progress ? 1 : 0;
    passed_by += may_be_progress(line) ? 0 : 1;
  }
  EXPECT_GT(told_of, 1000);
  EXPECT_GT(passed_by, 1000);
}

TEST(ProgressLine, LinesBeyondTheLimitAreNoProgress) {
  EXPECT_EQ(told("[3/7] " + std::string(kMaxProgressLine, 'x')), "none");
  EXPECT_EQ(told("[3/7] " + std::string(kMaxProgressLine - 6, 'x')).substr(0, 6), "42 3/7");
}

TEST(ProgressLine, FiveThousandStepsMakeAHundredFindings) {
  const auto decoder = line_decoders()("text");
  std::vector<RecordOutput::Finding> findings;
  for (int step = 1; step <= 5000; ++step) {
    const std::string text = "[" + std::to_string(step) + "/5000] Building CXX object a.o";
    std::string within;
    decoder->decode({text, 0, text.size() + 1, 1}, findings, within);
  }
  ASSERT_EQ(findings.size(), 100u);
  const auto& last = *std::get<schema::ReportFactUnion>(findings.back().fact).AsProgressReported();
  EXPECT_EQ(last.progress_percent, 100.0);
  EXPECT_EQ(last.total_steps, 5000u);
  EXPECT_EQ(findings.back().evidence.rule, "progress-line");
}

/// The code decides by a remainder; the result must equal the definition, a grown integer percentage.
TEST(ProgressLine, CountIsReportedWhenItsPercentGrows) {
  const std::vector<unsigned> totals = {2, 3, 99, 100, 101, 250, 345, 1000, 90'210, 123'456'789, 999'999'999};
  for (const unsigned all : totals) {
    for (const std::uint64_t near : {0u, 1u, all / 100, all / 7, all / 2, all - 2}) {
      for (std::uint64_t done = near; done <= std::min<std::uint64_t>(all, near + 300); ++done) {
        const bool has_grown = done == 0 || done * 100 / all > (done - 1) * 100 / all;
        const std::string line = "[" + std::to_string(done) + "/" + std::to_string(all) + "] x";
        ASSERT_EQ(told(line) != "none", has_grown) << line;
      }
    }
  }
}

TEST(ProgressLine, ReportedCountsDifferByAPercent) {
  for (int steps = 2; steps < 300; ++steps) {
    int told_of = 0;
    for (int step = 1; step <= steps; ++step) {
      told_of += told("[" + std::to_string(step) + "/" + std::to_string(steps) + "] x") != "none" ? 1 : 0;
    }
    EXPECT_EQ(told_of, std::min(steps, 100));
  }
}

}  // namespace
}  // namespace luzia
