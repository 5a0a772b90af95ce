#include "tools/luzia/look/watch_view.h"

#include "projections/rows/harmless.h"
#include "projections/rows/row_bytes.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

/// An encoded row.
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

TEST(WatchView, WhatWasPublishedHasALine) {
  view::JobT job = running();
  job.task = "build";
  job.reported = std::make_unique<view::ReportedT>();
  job.reported->description = "tidy up";
  job.reported->estimated_seconds = 90;
  job.reported->remaining_seconds = 45;
  job.reported->recommendation = "wait";
  const Row row(job);
  const auto lines = watch_lines({row.get()}, kNow, plain(120, 24));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[1], "    tidy up; about 45s left of 1m30s; wait");
  EXPECT_THAT(watch_lines({row.get()}, kNow, plain(120, 4)), SizeIs(1)) << "if there is room";
}

TEST(WatchView, BarYieldsToPercentAndStep) {
  view::JobT job = running();
  job.progress->step_name.clear();
  const Row row(job);
  const auto line = [&](std::size_t width) { return watch_lines({row.get()}, kNow, plain(width, 24))[0]; };
  EXPECT_EQ(line(66), "0kx8aaaaaaaaa  web  running  12s  [########------------]  40%  2/5");
  EXPECT_EQ(line(65), "0kx8aaaaaaaaa  web  running  12s  [###-----]  40%  2/5");
  EXPECT_EQ(line(53), "0kx8aaaaaaaaa  web  running  12s  40%  2/5");
  EXPECT_EQ(line(42), "0kx8aaaaaaaaa  web  running  12s  40%  2/5");
  EXPECT_EQ(line(40), "0kx8aaaaaaaaa  running  12s  40%  2/5");
}

TEST(WatchView, OneWarningIsSingular) {
  view::JobT job = running();
  job.warnings = 1;
  job.errors = 2;
  const Row row(job);
  const auto lines = watch_lines({row.get()}, kNow, plain(160, 24));
  EXPECT_THAT(lines[0], HasSubstr("  1 warning  2 errors"));
}

std::string question_row(const std::string& job, const std::string& words) {
  view::QuestionT question;
  question.id = "q-1";
  question.job = job;
  question.type = schema::QuestionType::choice;
  question.question = words;
  question.options = {"production", "staging"};
  return row_bytes(question);
}

TEST(WatchView, PromptsAreShownInOneSanitizedLine) {
  view::JobT job = running();
  job.questions_open = 1;
  const Row row(job);
  const std::string bytes = question_row(job.id, "Where\nto?\x1b[2J" + std::string(1'000, '!'));
  const std::string other = question_row("0kx8bbbbbbbbb", "Another one's");
  const AskedNow asked{{flatbuffers::GetRoot<view::Question>(other.data()),
                        flatbuffers::GetRoot<view::Question>(bytes.data())},
                       {}};
  const auto lines = watch_lines({row.get()}, kNow, plain(100, 24), {}, asked);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[1], testing::StartsWith("    Where"));
  EXPECT_THAT(lines[1], Not(HasSubstr("\x1b")));
  EXPECT_THAT(lines[1], Not(HasSubstr("\n")));
  EXPECT_LE(display_width(lines[1]), 100U);
  const std::string brief = question_row(job.id, "Where to?");
  EXPECT_EQ(asked_text(*flatbuffers::GetRoot<view::Question>(brief.data()), false),
            "Where to? (1 production, 2 staging)");
  const AskedNow one{{flatbuffers::GetRoot<view::Question>(brief.data())}, {}};
  EXPECT_THAT(wait_line({row.get()}, kNow, 0, plain(120, 24), {.progress = false}, one),
              HasSubstr("asks: Where to? (1 production, 2 staging)"));
}

TEST(WatchView, JobThatDoesNotStartNamesTheCommandThatSaysWhy) {
  view::JobT job = running();
  job.state = schema::JobState::queued;
  job.queued_us = kNow - kSecondUs;
  EXPECT_THAT(watch_lines({Row(job).get()}, kNow, plain(160, 24))[0], Not(HasSubstr("luzia why")));
  job.queued_us = kNow - kMinuteUs;
  EXPECT_THAT(watch_lines({Row(job).get()}, kNow, plain(160, 24))[0],
              HasSubstr("waits: luzia why " + job.id));
}

TEST(WatchView, PromptsNameTheirCommand) {
  view::JobT job = running();
  job.approvals_open = 1;
  EXPECT_THAT(watch_lines({Row(job).get()}, kNow, plain(160, 24))[0],
              HasSubstr("wants approval: luzia approvals"));
  job.questions_open = 1;
  EXPECT_THAT(watch_lines({Row(job).get()}, kNow, plain(160, 24))[0], HasSubstr("asks: luzia questions"));
  job.state = schema::JobState::failed;
  EXPECT_THAT(watch_lines({Row(job).get()}, kNow, plain(160, 24))[0], testing::Not(HasSubstr("asks:")));
}

TEST(WatchView, LinesFitTheTerminal) {
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

TEST(WatchView, PromptsReplaceOutputLines) {
  view::JobT job = running();
  job.questions_open = 1;
  job.last_line = "compiling";
  const Row row(job);
  const std::vector<const view::Job*> jobs(4, row.get());
  const std::string bytes = question_row(job.id, "Where to?");
  const AskedNow asked{{flatbuffers::GetRoot<view::Question>(bytes.data())}, {}};
  const auto with_room = watch_lines(jobs, kNow, plain(100, 14), {}, asked);
  EXPECT_THAT(with_room, SizeIs(12));
  EXPECT_THAT(with_room, testing::Contains(HasSubstr("compiling")));
  const auto without = watch_lines(jobs, kNow, plain(100, 13), {}, asked);  // 11 lines for 12
  EXPECT_THAT(without, SizeIs(8));
  EXPECT_THAT(without, Each(Not(HasSubstr("compiling"))));
  EXPECT_THAT(without, Each(Not(HasSubstr("more"))));
}

view::JobT with_state(const std::string& id, schema::JobState state) {
  view::JobT job;
  job.id = id;
  job.project = "web";
  job.task = "the task of " + id;
  job.state = state;
  return job;
}

TEST(Overview, RunningJobsComeFirstQueueLast) {
  using schema::JobState;
  const Row queued(with_state("queued1", JobState::queued)),
      waiting(with_state("waiting1", JobState::waiting)), ended(with_state("ended1", JobState::failed)),
      run(with_state("running1", JobState::running)), later(with_state("queued2", JobState::queued));
  const auto lines = overview_lines({waiting.get(), queued.get(), later.get(), ended.get(), run.get()}, {},
                                    kNow, plain(120, 24));
  ASSERT_THAT(lines, SizeIs(7));
  EXPECT_THAT(lines[0], HasSubstr("1 working, 1 needs input, 1 ended, 2 queued"));
  EXPECT_THAT(lines[1], HasSubstr("TASK"));
  const char* order[] = {"running1", "waiting1", "ended1", "queued1", "queued2"};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_THAT(lines[i + 2], HasSubstr(std::string("the task of ") + order[i]));
  }
}

TEST(Overview, FitsAnyTerminal) {
  view::JobT job = running();
  job.task = "\xe6\xbc\xa2\xe5\xad\x97 wide characters everywhere";
  const Row row(job);
  view::QueueSwitchT pause;
  pause.note = "because";
  pause.since_us = kNow;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(view::QueueSwitch::Pack(builder, &pause));
  const auto* paused = flatbuffers::GetRoot<view::QueueSwitch>(builder.GetBufferPointer());
  for (const std::size_t count : {0u, 1u, 3u, 50u}) {
    const std::vector<const view::Job*> jobs(count, row.get());
    for (std::size_t height = 1; height < 30; ++height) {
      for (const std::size_t width : {20u, 60u, 80u, 200u}) {
        const auto lines = overview_lines(jobs, {paused}, kNow, plain(width, height));
        EXPECT_LT(lines.size(), std::max<std::size_t>(3, height));
        for (const std::string& line : lines) {
          EXPECT_LE(display_width(line), width);
        }
        if (count == 50) {
          EXPECT_THAT(lines.back(), HasSubstr("more"));
        }
      }
    }
  }
}

TEST(WatchView, AgentTextIsSanitized) {
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

TEST(WatchView, DisabledPartsAreOmitted) {
  const Row row(running());
  UpdateSettings settings;
  const Terminal terminal = plain(120, 24);
  const auto compact = watch_lines({row.get()}, kNow, terminal, watch_look(settings, true));
  EXPECT_THAT(compact,
              ElementsAre("0kx8aaaaaaaaa  web  running  12s  [########------------]  40%  2/5  Run tests"));
  settings.progress = false;
  const auto without_progress = watch_lines({row.get()}, kNow, terminal, watch_look(settings, false));
  EXPECT_THAT(without_progress, ElementsAre("0kx8aaaaaaaaa  web  running  12s", "    [ OK ] something"));
  settings.verbosity = UpdateSettings::Verbosity::quiet;
  const auto quiet = watch_lines({row.get()}, kNow, terminal, watch_look(settings, false));
  EXPECT_THAT(quiet, ElementsAre("0kx8aaaaaaaaa  web  running  12s"));
  const auto overview = overview_lines({row.get()}, {}, kNow, terminal, watch_look(settings, false));
  for (const std::string& line : overview) {
    EXPECT_THAT(line, Not(HasSubstr("40%")));
    EXPECT_THAT(line, Not(HasSubstr("something")));
  }
}

TEST(WatchView, NarrowWaitKeepsPercentAndStep) {
  const Row row(running());
  EXPECT_THAT(wait_line({row.get()}, kNow, 0, plain(40, 24), {}, {}), HasSubstr("12s  40%  2/5"));
}

TEST(WatchView, WaitIsOneAnimatedLine) {
  const Row one(running());
  view::JobT other = running();
  other.id = "0kx9aaaaaaaaa";
  other.state = schema::JobState::queued;
  const Row two(other);
  const Terminal terminal = plain(100, 24);
  EXPECT_EQ(wait_line({one.get()}, kNow, 0, terminal, {}),
            "| 0kx8aaaaaaaaa  running  12s  [########------------]  40%  2/5  Run tests");
  EXPECT_EQ(wait_line({one.get()}, kNow, 1, terminal, {.progress = false}), "/ 0kx8aaaaaaaaa  running  12s");
  EXPECT_EQ(wait_line({two.get(), one.get()}, kNow, 2, terminal, {.progress = false}),
            "- 1 working, 1 queued  0kx8aaaaaaaaa  running  12s");
  for (std::size_t turn = 0; turn < 2 * kWaitTurns; ++turn) {
    EXPECT_LE(display_width(wait_line({one.get()}, kNow, turn, plain(40, 24), {})), 40u);
    Terminal glyphs = plain(40, 24);
    glyphs.unicode = true;
    EXPECT_LE(display_width(wait_line({one.get()}, kNow, turn, glyphs, {})), 40u);
  }
  EXPECT_EQ(wait_line({}, kNow, 3, terminal, {}), "\\ ");
}

}  // namespace
}  // namespace luzia
