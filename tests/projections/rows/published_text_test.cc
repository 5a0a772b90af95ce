#include "projections/rows/published_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

std::string line_of(const view::JobT& job) {
  const std::string bytes = row_bytes(job);
  return published_line(*flatbuffers::GetRoot<view::Job>(bytes.data()));
}

view::JobT reporting() {
  view::JobT job;
  job.task = "build";
  job.state = schema::JobState::running;
  job.reported = std::make_unique<view::ReportedT>();
  return job;
}

TEST(PublishedText, NothingPublishedIsNoLine) {
  EXPECT_EQ(line_of({}), "");
  EXPECT_EQ(line_of(reporting()), "");
}

TEST(PublishedText, EveryPartOfAPlaceStandsAlone) {
  view::JobT job = reporting();
  job.reported->estimated_wait_seconds = 30;
  EXPECT_EQ(line_of(job), "waits for about 30s");
  job.reported->queue_ahead = {"t-5", "t-6"};
  EXPECT_EQ(line_of(job), "waits after t-5, t-6, for about 30s");
  job.reported->queue_position = 3;
  job.reported->reason = "no slot";
  EXPECT_EQ(line_of(job), "waits at position 3 after t-5, t-6, for about 30s: no slot");
}

TEST(PublishedText, EndedJobHasItsResultInsteadOfTimes) {
  view::JobT job = reporting();
  job.reported->description = "tidy up";
  job.reported->estimated_seconds = 90;
  job.reported->alert = "hot";
  job.reported->alert_severity = schema::Severity::critical;
  EXPECT_EQ(line_of(job), "tidy up; takes about 1m30s; hot (critical)");
  job.state = schema::JobState::completed;
  job.verdict = schema::Verdict::NEEDS_WORK;
  job.findings_count = 4;
  job.recommendations_count = 1;
  EXPECT_EQ(line_of(job), "tidy up; hot (critical); verdict NEEDS_WORK, 4 findings, 1 recommendation");
}

TEST(PublishedText, TaskIsNotRepeated) {
  view::JobT job = reporting();
  job.reported->description = job.task;
  EXPECT_EQ(line_of(job), "");
}

TEST(PublishedText, AnyNumberOfSecondsIsATime) {
  EXPECT_EQ(seconds_text(-5), "0.0s");
  EXPECT_EQ(seconds_text(std::numeric_limits<double>::infinity()), seconds_text(1e9));
}

}  // namespace
}  // namespace luzia
