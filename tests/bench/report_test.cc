#include "bench/harness/report.h"

#include <nlohmann/json.hpp>

#include "bench/harness/plot.h"
#include "bench/harness/svg.h"
#include "tests/matchers.h"

namespace luzia::bench {
namespace {

std::vector<Figure> sample() {
  Figure timed = plain_figure("dispatch, 1 client", 8'000, "dispatches/s");
  timed.p50_us = 120.5;
  timed.p99_us = 400;
  timed.yardstick = "raw put/s";
  timed.yardstick_value = 10'000;
  timed.goal = ">= 0.8 x the yardstick";
  timed.met = true;
  timed.spread = 0.25;
  Figure small = plain_figure("replay, 1000 events", 2e6, "events/s");
  small.size = 1'000;
  Figure large = plain_figure("replay, 100000 events", 1e6, "events/s");
  large.size = 100'000;
  return {timed, small, large};
}

constexpr const char* kGolden = R"({
  "machine": {
    "cores": 2
  },
  "results": [
    {
      "name": "dispatch, 1 client",
      "value": 8000.0,
      "unit": "dispatches/s",
      "p50_us": 120.5,
      "p99_us": 400.0,
      "yardstick": "raw put/s",
      "yardstick_value": 10000.0,
      "ratio": 0.8,
      "goal": ">= 0.8 x the yardstick",
      "met": true,
      "spread": 0.25
    },
    {
      "name": "replay, 1000 events",
      "value": 2000000.0,
      "unit": "events/s",
      "p50_us": null,
      "p99_us": null,
      "yardstick": "",
      "yardstick_value": 0.0,
      "ratio": 0.0,
      "goal": "",
      "met": false,
      "spread": 0.0,
      "size": 1000.0
    }
  ]
}
)";

TEST(Report, JsonHasTheDocumentedFormat) {
  const auto figures = sample();
  EXPECT_EQ(figures_json({{"cores", 2}}, {figures[0], figures[1]}), kGolden);
}

TEST(Report, JsonReadsBackToTheSameFigures) {
  const auto run = parse_run(figures_json({{"cores", 2}}, sample()), "memory");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->machine, "cores 2");
  EXPECT_EQ(figures_json({{"cores", 2}}, run->figures), figures_json({{"cores", 2}}, sample()));
}

TEST(Report, MissingFigureSaysWhyAndHasNoValue) {
  const Figure missing = missing_figure("first view", "there is no node");
  EXPECT_THAT(figures_table({missing}),
              HasSubstr("| first view | not measured: there is no node | | | | | | |\n"));
  const std::string json = figures_json({{"cores", 2}}, {missing});
  EXPECT_THAT(json, HasSubstr("\"value\": null"));
  const auto run = parse_run(json, "memory");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->figures.front().not_measured, "there is no node");
}

TEST(Report, InvalidResultIsRefusedWithItsFile) {
  for (const char* text : {"", "[]", "{", "{\"results\":3}", "{\"results\":[{}]}", "{\"results\":[1]}"}) {
    const auto run = parse_run(text, "mine.json");
    ASSERT_FALSE(run) << text;
    EXPECT_EQ(run.error().code, "bad_result");
    EXPECT_THAT(run.error().message, HasSubstr("mine.json"));
  }
}

TEST(Report, TableHasOneRowPerFigure) {
  EXPECT_THAT(figures_table(sample()),
              HasSubstr("| dispatch, 1 client | 8000 dispatches/s | 120 | 400 | raw put/s: 10000 | "
                        "0.80 | >= 0.8 x the yardstick | yes |\n"));
}

TEST(Report, MachineIsDescribedBesideTheFigures) {
  const auto machine = describe_machine();
  for (const char* key : {"date", "cores", "memory_mib", "processor", "kernel", "compiler", "rocksdb"}) {
    EXPECT_TRUE(machine.contains(key)) << key;
  }
}

TEST(Plot, DrawsTimesBesideTheMachinesOwn) {
  Figure job = plain_figure("whole process luzia job ID", 1'500, "us");
  job.yardstick = "spawn of /bin/true p50, us";
  job.yardstick_value = 600;
  const std::string svg = plot_svg(bench::Run{"two cores & more", {sample().front(), job}});
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("width=\"470.0\" height=\"18.0\" fill=\"#1b6ca8\""));
  EXPECT_THAT(svg, HasSubstr("width=\"188.0\" height=\"18.0\" fill=\"#b9c2ca\""));
  EXPECT_THAT(svg, HasSubstr("1.50 ms  (starting /bin/true: 0.60 ms)"));
  EXPECT_THAT(svg, HasSubstr("two cores &amp; more"));
  EXPECT_THAT(svg, Not(HasSubstr("dispatch")));
}

TEST(Plot, WithoutDataIsStillAPicture) {
  const std::string svg = plot_svg(bench::Run{});
  EXPECT_THAT(svg, EndsWith("</svg>\n"));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Svg, TextCannotBreakTheDocument) {
  EXPECT_EQ(escape_xml("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
}

}  // namespace
}  // namespace luzia::bench
