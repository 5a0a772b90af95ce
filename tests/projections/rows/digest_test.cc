// What a digest says of a night.
#include "projections/rows/digest.h"

#include <nlohmann/json.hpp>

#include "projections/rows/buckets.h"
#include "tests/matchers.h"
#include "tests/projections/rows/shown_rows.h"

namespace luzia::test {
namespace {

constexpr TimeUs kEvening = 100 * kHourUs, kMorning = 110 * kHourUs;

class DigestTest : public testing::Test {
 protected:
  view::JobT ended(const std::string& id, schema::JobState state, TimeUs at) const {
    view::JobT job;
    job.id = id;
    job.project = "web";
    job.agent = "claude";
    job.task = "task of " + id;
    job.state = state;
    job.reason = schema::EndReason::exit_code;
    job.attempts = 1;
    job.ended_us = at;
    job.run_us = static_cast<std::uint64_t>(10 * kMinuteUs);
    return job;
  }
  DigestSource source() const {
    DigestSource source;
    source.since = kEvening;
    source.now = kMorning;
    source.jobs = jobs_.list();
    source.durations = durations_.list();
    return source;
  }
  nlohmann::json json() const { return nlohmann::json::parse(digest_json(source())); }
  /// 20 runs of the project and agent, each of 9 to 11 minutes.
  void usual_runs() {
    view::DurationsT row;
    row.measure = "run";
    row.project = "web";
    row.agent = "claude";
    row.count = 20;
    row.min_ms = 9 * 60'000;
    row.max_ms = 11 * 60'000;
    row.sum_ms = 20 * 10 * 60'000;
    row.buckets.resize(bucket_of(10 * 60'000) + 1);
    row.buckets.back() = row.count;
    durations_.add(row);
  }

  ShownRows<view::Job> jobs_;
  ShownRows<view::Durations> durations_;
};

TEST_F(DigestTest, CountsWhatEndedSince) {
  using enum schema::JobState;
  view::JobT proved = ended("a", completed, kEvening + 1);
  proved.verified = true;
  proved.cost_usd = 0.5;
  proved.earlier_cost_usd = 0.25;
  jobs_.add(proved);
  jobs_.add(ended("b", completed, kEvening));
  jobs_.add(ended("early", completed, kEvening - 1));
  view::JobT refuted = ended("c", failed, kMorning - 1);
  refuted.verified = false;
  jobs_.add(refuted);
  jobs_.add(ended("d", cancelled, kMorning - 1));
  view::JobT waits = ended("e", queued, 0);
  jobs_.add(waits);
  const auto counts = json()["counts"];
  EXPECT_EQ(counts["completed"], 2);
  EXPECT_EQ(counts["proved"], 1);
  EXPECT_EQ(counts["refuted"], 1);
  EXPECT_EQ(counts["failed"], 1);
  EXPECT_EQ(counts["stopped"], 1);
  EXPECT_EQ(counts["queued"], 1);
  EXPECT_DOUBLE_EQ(json()["usage"]["cost_usd"], 0.75);
  EXPECT_DOUBLE_EQ(json()["usage"]["run_s"], 4 * 600.0);
  const std::string shown = digest_text(source(), {});
  EXPECT_THAT(shown, HasSubstr("2 completed (1 proved), 1 failed, 1 cancelled or skipped, 1 queued"));
  EXPECT_THAT(shown, HasSubstr("task of c"));
  EXPECT_THAT(shown, Not(HasSubstr("task of early")));
  EXPECT_THAT(shown, HasSubstr("luzia why JOB"));
  EXPECT_THAT(shown, HasSubstr(", cost $0.75\n"));
}

TEST_F(DigestTest, SaysThatAgentsReportedNoCost) {
  view::JobT command = ended("command", schema::JobState::completed, kMorning - 1);
  command.agent = "shell";
  jobs_.add(command);
  EXPECT_THAT(digest_text(source(), {}), Not(HasSubstr("cost"))) << "commands cost nothing";
  jobs_.add(ended("work", schema::JobState::completed, kMorning - 1));
  EXPECT_THAT(digest_text(source(), {}), HasSubstr("ran for 20m00s; no cost was reported\n"));
}

TEST_F(DigestTest, SeriesTellsOfEachEndOnce) {
  using enum schema::JobState;
  const auto add = [this](const char* id, Position position, TimeUs at) {
    view::JobT job = ended(id, completed, at);
    job.position = position;
    jobs_.add(job);
  };
  add("told", 10, kEvening - 2 * kHourUs);
  add("seen_late", 11, kEvening - kHourUs);  // its end was noticed after the last digest
  add("usual", 12, kEvening + 1);
  add("next", 21, kMorning - 1);          // recorded after this one was due
  add("old", 15, kEvening - 2 * kDayUs);  // its output expired
  DigestSource series = source();
  series.after = 10;
  series.last = 20;
  const auto shown = nlohmann::json::parse(digest_json(series));
  EXPECT_EQ(shown["counts"]["completed"], 2);
  EXPECT_EQ(shown["completed"][0]["id"], "seen_late");
  EXPECT_EQ(shown["completed"][1]["id"], "usual");
  series.after = 20;
  series.last = 30;
  EXPECT_EQ(nlohmann::json::parse(digest_json(series))["counts"]["completed"], 1);
}

TEST_F(DigestTest, BoundedTextSaysWhatItLeavesOut) {
  for (const char* id : {"a", "b", "c"}) jobs_.add(ended(id, schema::JobState::failed, kMorning - 1));
  const std::string text = digest_text(source(), {}, 2);
  EXPECT_THAT(text, HasSubstr("Failed (3)"));
  EXPECT_THAT(text, HasSubstr("task of b"));
  EXPECT_THAT(text, Not(HasSubstr("task of c")));
  EXPECT_THAT(text, HasSubstr("and 1 more\n"));
  EXPECT_THAT(digest_text(source(), {}, 0), HasSubstr("3 failed"));
  const auto json = nlohmann::json::parse(digest_json(source(), 2));
  EXPECT_EQ(json["counts"]["failed"], 3);
  EXPECT_EQ(json["failed"].size(), 2U);
}

TEST_F(DigestTest, NothingHappened) {
  EXPECT_EQ(digest_summary(source()), "");
  EXPECT_THAT(digest_text(source(), {}), HasSubstr("nothing happened"));
  EXPECT_TRUE(json()["odd"].empty());
}

TEST_F(DigestTest, SaysWhichRunsAreNotAsUsual) {
  usual_runs();
  view::JobT slow = ended("slow", schema::JobState::completed, kMorning - 1);
  slow.run_us = static_cast<std::uint64_t>(2 * kHourUs);
  jobs_.add(slow);
  view::JobT again = ended("again", schema::JobState::failed, kMorning - 1);
  again.attempts = 3;
  jobs_.add(again);
  view::JobT dear = ended("dear", schema::JobState::completed, kMorning - 1);
  dear.cost_usd = 5;
  jobs_.add(dear);
  jobs_.add(ended("usual", schema::JobState::completed, kMorning - 1));
  const auto odd = json()["odd"];
  ASSERT_EQ(odd.size(), 3U);
  EXPECT_EQ(odd[0]["job"], "slow");
  EXPECT_THAT(odd[0]["what"], HasSubstr("half of such jobs need less than"));
  EXPECT_EQ(odd[1]["what"], "cost $5.00 of $5.00");
  EXPECT_EQ(odd[2]["what"], "needed 3 attempts");
}

TEST_F(DigestTest, ARetriedJobIsNotSlowForItsAttempts) {
  usual_runs();
  view::JobT again = ended("again", schema::JobState::completed, kMorning - 1);
  again.attempts = 4;
  again.run_us = static_cast<std::uint64_t>(40 * kMinuteUs);
  jobs_.add(again);
  const auto odd = json()["odd"];
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd[0]["what"], "needed 4 attempts");
}

TEST_F(DigestTest, TextsAreHarmless) {
  view::JobT hostile = ended("a", schema::JobState::failed, kMorning - 1);
  hostile.task = "\x1b[2Jgone";
  jobs_.add(hostile);
  EXPECT_THAT(digest_text(source(), {}), Not(HasSubstr("\x1b[2J")));
}

}  // namespace
}  // namespace luzia::test
