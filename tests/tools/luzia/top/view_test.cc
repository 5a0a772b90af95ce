// The screen of luzia top at several sizes.
#include "tools/luzia/look/top/view.h"

#include "projections/rows/harmless.h"
#include "tests/matchers.h"
#include "tests/tools/luzia/top/top_world.h"

namespace luzia {
namespace {

Terminal sized(std::size_t width, std::size_t height) {
  Terminal terminal;
  terminal.width = width;
  terminal.height = height;
  return terminal;
}

TopModel model_of(const TopWorld& world) {
  TopModel model;
  model.take(world.snapshot(), kTopNow);
  return model;
}

std::string screen(const TopModel& model, std::size_t width, std::size_t height) {
  std::string all = "\n";
  for (const std::string& line : top_lines(model, kTopNow, sized(width, height))) {
    all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return all;
}

TEST(TopView, UsualScreenAtEightyColumns) {
  EXPECT_EQ(screen(model_of(TopWorld::usual()), 80, 20), R"(
1 needs input, 1 failed, 1 working, 1 queued
  JOB   STATE     TIME  DONE  TASK     NOW
Needs input (1)
> aaaa  waiting  1m30s        Do aaaa  ? Deploy where?
Failed (1)
  dddd  failed   1m20s        Do dddd  exit code 2
Working (1)
  bbbb  running  1m30s   50%  Do bbbb  compiling a.cc
Queued (1)
  cccc  queued   1m40s        Do cccc




aaaa (web) q-aaaa  no deadline
  Deploy where?
    1  production
    2  staging
  luzia answer q-aaaa 1
1-9 answer  l logs  t attach  c cancel  / filter  j k move  ? help  q quit
)");
}

TEST(TopView, RowsAreNumberedThroughAllGroups) {
  TopWorld world = TopWorld::usual();
  world.add(top_flow_gate("ship it", "deploy"));
  const TopModel model = model_of(world);
  std::string shown;
  for (const std::string& line : top_lines(model, kTopNow, sized(80, 24), true)) shown += line + "\n";
  for (const char* row : {"> %1  aaaa ", "  %2  f-1 ", "  %3  dddd ", "  %4  bbbb ", "  %5  cccc "})
    EXPECT_THAT(shown, HasSubstr(row));
  EXPECT_THAT(top_rows(model),
              testing::Optional(testing::ElementsAre("aaaa", "f-1", "dddd", "bbbb", "cccc")));
  EXPECT_THAT(screen(model, 80, 24), Not(HasSubstr("%1")));
  TopModel shows_one = model;
  shows_one.press({KeyCode::enter}, 1);
  EXPECT_EQ(top_rows(shows_one), std::nullopt);
}

TEST(TopView, FooterNamesTheKeysOfTheSelectedRow) {
  struct Case {
    std::string keys, foot;
    std::size_t width;
  };
  for (const Case& each :
       {Case{"j", "l logs  t attach  r retry  / filter  j k move  ? help  q quit\n", 80},
        Case{"jj", "l logs  t attach  c cancel  / filter  j k move  ? help  q quit\n", 80},
        Case{"jj", "t attach  c cancel  ? help  q quit\n", 36}, Case{"", "1-9 answer  ? help  q quit\n", 34},
        Case{"/zz\r", "/ filter  j k move  ? help  q quit\n", 80}}) {
    TopModel model = model_of(TopWorld::usual());
    for (const char key : each.keys) {
      model.press(key == '\r' ? Key{KeyCode::enter} : Key{KeyCode::text, std::string(1, key)}, 1);
    }
    EXPECT_THAT(screen(model, each.width, 20), testing::EndsWith("\n" + each.foot)) << each.keys;
  }
}

TEST(TopView, FlowGateNeedsInput) {
  TopWorld world;
  world.add(top_flow_gate("ship it", "deploy"));
  const std::string shown = screen(model_of(world), 80, 24);
  EXPECT_THAT(shown, HasSubstr("1 needs input\n"));
  EXPECT_THAT(shown, HasSubstr("> f-1  waiting   30s        step ship it  ? approve deploy\n"));
  EXPECT_THAT(shown, HasSubstr("luzia approve f-1 'ship it'\n"));
  EXPECT_THAT(shown, HasSubstr("a approve  d deny"));
}

TEST(TopView, ManualStepNeedsInput) {
  TopWorld world;
  world.add(ManualStep{"f-1", "web", "look at it", "on a telephone", kTopNow - 30 * kSecondUs});
  const std::string shown = screen(model_of(world), 80, 24);
  EXPECT_THAT(shown, HasSubstr("1 needs input\n"));
  EXPECT_THAT(shown, HasSubstr("> f-1  waiting   30s        on a telephone  ! done by a person\n"));
  EXPECT_THAT(shown, HasSubstr("f-1 (web) look at it  by a person\n  on a telephone\n"));
  EXPECT_THAT(shown, HasSubstr("  luzia flow complete f-1 'look at it'\n"));
}

TEST(TopView, NarrowTerminal) {
  EXPECT_EQ(screen(model_of(TopWorld::usual()), 60, 14), R"(
1 needs input, 1 failed, 1 working, 1 queued
  JOB   STATE     TIME  DONE  TASK     NOW
Needs input (1)
> aaaa  waiting  1m30s        Do aaaa  ? Deploy where?
Failed (1)
  dddd  failed   1m20s        Do dddd  exit code 2
Working (1)
  bbbb  running  1m30s   50%  Do bbbb  compiling a.cc

aaaa (web) q-aaaa  no deadline
  Deploy where?
    1  production
    2  staging
1-9 answer  l logs  t attach  c cancel  ? help  q quit
)");
}

TEST(TopView, JobDetails) {
  TopModel model = model_of(TopWorld::usual());
  model.press({KeyCode::down}, 1);
  model.press({KeyCode::down}, 1);
  model.press({KeyCode::enter}, 1);
  TopDetail detail;
  detail.job = "bbbb";
  detail.why = {"14:05:09 queued for web", "14:05:10 attempt 1 started (pid 333)"};
  detail.output = "first\nsecond \x1b[31mred\x1b[0m\nlast, without an end";
  model.take(detail);
  EXPECT_EQ(screen(model, 80, 16), R"(
bbbb  web  claude  running  1m30s
Do bbbb
[###############---------------]  50%
Why
  14:05:09 queued for web
  14:05:10 attempt 1 started (pid 333)
Output
  first
  second red
  last, without an end





q back  t attach  c cancel  j k move  ? help
)");
}

TEST(TopView, EveryLineFitsEverySize) {
  TopWorld world = TopWorld::usual();
  view::JobT hostile = top_job("eeee", schema::JobState::running);
  hostile.task =
      "\x1b[2J\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97 " + std::string(500, 'x') + "\r\n\t";
  hostile.last_line = hostile.task;
  hostile.project = std::string(100, 'p');
  world.add(hostile);
  for (int i = 0; i < 200; ++i) world.add(top_job("f" + std::to_string(i), schema::JobState::queued));
  world.count(10'000);
  view::AlertT alert;
  alert.alert_type = "RESOURCE_WARNING";
  alert.message = std::string(300, 'm');
  world.add(alert);
  for (const bool colour : {false, true}) {
    for (const bool unicode : {false, true}) {
      for (const std::size_t width : {2u, 10u, 20u, 40u, 60u, 80u, 200u}) {
        for (const std::size_t height : {2u, 3u, 5u, 10u, 24u, 100u}) {
          for (const std::string_view keys : {"", "j", "jjjjj", "?", "c", "/"}) {
            Terminal terminal = sized(width, height);
            terminal.colour = colour;
            terminal.unicode = unicode;
            TopModel model = model_of(world);
            for (const char key : keys) model.press({KeyCode::text, std::string(1, key)}, 1);
            const auto lines = top_lines(model, kTopNow, terminal);
            ASSERT_THAT(lines, SizeIs(height));
            for (const std::string& line : lines) {
              ASSERT_LE(display_width(without_terminal_marks(line)), width) << width << "x" << height << keys;
              ASSERT_EQ(line.find('\n'), std::string::npos);
              ASSERT_EQ(line.find("\x1b[2J"), std::string::npos);
              ASSERT_TRUE(colour || line.find('\x1b') == std::string::npos);
            }
          }
        }
      }
    }
  }
}

TEST(TopView, SelectedRowIsAlwaysVisible) {
  TopWorld world;
  for (int i = 100; i < 200; ++i) world.add(top_job("f" + std::to_string(i), schema::JobState::queued));
  world.count(10'000);
  TopModel model = model_of(world);
  for (int place = 0; place < 100; ++place) {
    const auto lines = top_lines(model, kTopNow, sized(80, 10));
    EXPECT_THAT(lines, Contains(HasSubstr("> f" + std::to_string(100 + place))));
    model.press({KeyCode::down}, 1);
  }
  EXPECT_THAT(screen(model_of(world), 80, 10), HasSubstr("Queued (the first 100 of 10,000)"));
  EXPECT_THAT(screen(model_of(world), 80, 10), HasSubstr("10,000 queued"));
}

TEST(TopView, ShortenedQueueNamesItsRest) {
  TopWorld world;
  for (int i = 100; i < 200; ++i) world.add(top_job("f" + std::to_string(i), schema::JobState::queued));
  TopModel model = model_of(world);
  EXPECT_THAT(screen(model, 80, 120), Not(HasSubstr("luzia jobs --state queued")));
  world.count(10'000);
  model = model_of(world);
  EXPECT_THAT(screen(model, 80, 120), HasSubstr("luzia jobs --state queued"));
  for (const char key : std::string("/f19")) model.press({KeyCode::text, std::string(1, key)}, 1);
  EXPECT_THAT(screen(model, 80, 120), HasSubstr("Queued (10 of the first 100)"));
  EXPECT_THAT(screen(model, 80, 120), HasSubstr("luzia jobs --state queued"));
}

TEST(TopView, HeadingCountsEndedJobs) {
  TopWorld world = TopWorld::usual();
  world.add(top_job("eeee", schema::JobState::completed));
  world.count(1, 1'234);
  EXPECT_THAT(screen(model_of(world), 80, 24), HasSubstr("Ended (1 of 1,234)"));
  view::OutcomeDayT recent;
  recent.completed = 3;
  recent.failed = 20;
  world.add(recent);
  const std::string shown = screen(model_of(world), 80, 30);
  EXPECT_THAT(shown, HasSubstr("Ended (1 of 1,234); in the last 24 hours: 3 completed, 20 failed"));
  EXPECT_THAT(shown, HasSubstr("Failed (1 of 20)"));
  EXPECT_THAT(shown, HasSubstr("and 19 more: luzia jobs --state failed,killed,timed_out,lost"));
}

TEST(TopView, ColorsAndGlyphsAreOptional) {
  const TopModel model = model_of(TopWorld::usual());
  Terminal plain = sized(120, 20);
  for (const std::string& line : top_lines(model, kTopNow, plain)) {
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
  }
  plain.colour = plain.unicode = true;
  std::string all;
  for (const std::string& line : top_lines(model, kTopNow, plain)) all += line;
  EXPECT_THAT(all, HasSubstr("\x1b["));
  EXPECT_THAT(all, HasSubstr("\xe2\x96\x88"));
}

TEST(TopView, ConfirmationNamesTheAction) {
  TopModel model = model_of(TopWorld::usual());
  model.press({KeyCode::text, "2"}, 1);
  EXPECT_THAT(screen(model, 80, 20), HasSubstr("Answer aaaa: staging?  y yes, any other key no"));
}

TEST(TopView, EmptyScreenSaysSo) {
  EXPECT_THAT(screen(TopModel(), 80, 5), HasSubstr("asking the daemon ..."));
  EXPECT_THAT(screen(model_of(TopWorld()), 80, 5), HasSubstr("no jobs yet"));
  EXPECT_THAT(screen(model_of(TopWorld()), 80, 5), Not(HasSubstr("TASK")));
}

TEST(TopView, OtherMachinesHaveALineBelowTheCounts) {
  TopModel model = model_of(TopWorld::usual());
  model.show_machines("web1: 2 working; db: no answer for 7.0s\x1b[31m");
  const auto lines = top_lines(model, kTopNow, sized(80, 20));
  ASSERT_THAT(lines, SizeIs(20));
  EXPECT_THAT(lines[1], HasSubstr("web1: 2 working; db: no answer for 7.0s"));
  EXPECT_THAT(lines[1], Not(HasSubstr("\x1b[31m"))) << "what another machine says is harmless";
}

TEST(TopView, RowsOfOtherMachinesStandBelowTheOwn) {
  TopModel model = model_of(TopWorld::usual());
  TopWorld web, old;
  web.add(top_job("wwww", schema::JobState::running));
  web.add(top_job("xxxx", schema::JobState::waiting));
  web.add(top_job("yyyy", schema::JobState::completed));
  old.add(top_job("oooo", schema::JobState::running));
  model.show_machines("web1: 1 working; old: no answer for 7.0s",
                      {{"web1", web.snapshot(), false}, {"old", old.snapshot(), true}});
  const auto lines = top_lines(model, kTopNow, sized(100, 40));
  const auto line_with = [&](const std::string& words) {
    return std::ranges::find_if(lines,
                                [&](const auto& line) { return line.find(words) != std::string::npos; });
  };
  EXPECT_LT(line_with("dddd"), line_with("On other machines")) << "own rows come first";
  EXPECT_LT(line_with("On other machines"), line_with("xxxx"));
  EXPECT_LT(line_with("xxxx"), line_with("wwww")) << "what needs a person comes first";
  ASSERT_NE(line_with("oooo"), lines.end());
  EXPECT_THAT(*line_with("wwww"), HasSubstr("web1"));
  EXPECT_EQ(line_with("yyyy"), lines.end()) << "it has ended";
  EXPECT_NE(model.selected(), nullptr);
}

}  // namespace
}  // namespace luzia
