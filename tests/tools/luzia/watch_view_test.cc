#include "tools/luzia/watch_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "projections/rows/harmless.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

/// A row as it travels.
class Row {
 public:
  explicit Row(const view::JobT& job) { builder_.Finish(view::Job::Pack(builder_, &job)); }
  const view::Job* get() const { return flatbuffers::GetRoot<view::Job>(builder_.GetBufferPointer()); }

 private:
  flatbuffers::FlatBufferBuilder builder_;
};

view::JobT running() {
  view::JobT job;
  job.id = "0kx8aaaaaaaaa";
  job.project = "web";
  job.state = schema::JobState::running;
  job.started_us = kNow - 12 * kSecondUs;
  job.progress = std::make_unique<view::ProgressT>();
  job.progress->percent = 40;
  job.progress->current_step = 2;
  job.progress->total_steps = 5;
  job.progress->step_name = "Run tests";
  job.last_line = "[ OK ] something";
  return job;
}

Terminal plain(std::size_t width, std::size_t height) {
  Terminal terminal;
  terminal.width = width;
  terminal.height = height;
  return terminal;
}

TEST(WatchView, ShowsStateTimeProgressAndLastLine) {
  const Row row(running());
  const auto lines = watch_lines({row.get()}, kNow, plain(120, 24));
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0], "0kx8aaaaaaaaa  web  running  12s  [########------------]  40%  2/5  Run tests");
  EXPECT_EQ(lines[1], "    [ OK ] something");
}

TEST(WatchView, NoLineIsWiderThanTheTerminalWithOrWithoutColour) {
  view::JobT job = running();
  job.last_line = std::string(300, 'x');
  job.progress->step_name = "\xe6\xbc\xa2\xe5\xad\x97 wide characters everywhere";
  const Row row(job);
  for (std::size_t width = 10; width < 100; width += 7) {
    for (const std::string& line : watch_lines({row.get()}, kNow, plain(width, 24))) {
      EXPECT_LE(display_width(line), width);
    }
  }
  Terminal coloured_terminal = plain(40, 24);
  coloured_terminal.colour = true;
  EXPECT_THAT(watch_lines({row.get()}, kNow, coloured_terminal)[0], HasSubstr("\x1b["));
}

TEST(WatchView, NeverTallerThanTheTerminal) {
  const Row row(running());
  const std::vector<const view::Job*> many(50, row.get());
  for (const std::size_t height : {1u, 3u, 10u, 24u}) {
    const auto lines = watch_lines(many, kNow, plain(80, height));
    EXPECT_LT(lines.size(), std::max<std::size_t>(3, height));
    EXPECT_THAT(lines.back(), HasSubstr("more"));
  }
}

TEST(WatchView, TextOfAgentsIsHarmless) {
  view::JobT job = running();
  job.last_line = "\x1b[2Jgone";
  job.progress->step_name = "a\nb\x07";
  const Row row(job);
  for (const std::string& line : watch_lines({row.get()}, kNow, plain(120, 24))) {
    for (const char c : line) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    }
  }
}

TEST(WatchView, BarIsBoundedForAnyNumber) {
  EXPECT_EQ(progress_bar(0, 4, false), "[----]   0%");
  EXPECT_EQ(progress_bar(50, 4, false), "[##--]  50%");
  EXPECT_EQ(progress_bar(100, 4, false), "[####] 100%");
  EXPECT_EQ(progress_bar(1e300, 4, false), "[####] 100%");
  EXPECT_EQ(progress_bar(-5, 4, false), "[----]   0%");
  EXPECT_EQ(progress_bar(std::nan(""), 4, false), "[----]   0%");
}

}  // namespace
}  // namespace luzia
