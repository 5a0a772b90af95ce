// Alerts and warnings as shown to people and scripts.
#include "projections/rows/alert_rows.h"

#include "projections/rows/attention.h"
#include "tests/matchers.h"
#include "tests/projections/rows/shown_rows.h"
#include "tests/projections/rows/start_time.h"

namespace luzia::test {
namespace {

view::AlertT memory_alert() {
  view::AlertT alert;
  alert.alert = "memory";
  alert.alert_type = "RESOURCE_WARNING";
  alert.severity = schema::Severity::critical;
  alert.message = "96 % of the memory is used, over 95 %";
  alert.recommendation = "luzia pause";
  alert.value = 96;
  alert.threshold = 95;
  alert.since_us = kStart;
  alert.position = 7;
  return alert;
}

view::JobT warned_job() {
  view::JobT job;
  job.id = "k000000000001";
  job.project = "alpha";
  job.state = schema::JobState::running;
  job.started_us = kStart;
  job.last_line = "step 3";
  job.warnings = 1;
  job.last_warning = "has printed nothing for 10m";
  return job;
}

class AlertRows : public testing::Test {
 protected:
  AlertRows() {
    alerts_.add(memory_alert());
    jobs_.add(warned_job());
  }
  ShownRows<view::Alert> alerts_;
  ShownRows<view::Job> jobs_;
};

TEST_F(AlertRows, JsonHasEveryFieldAndNullForNoEnd) {
  EXPECT_EQ(alert_json(*alerts_.list()[0]),
            R"({"alert":"memory","alert_type":"RESOURCE_WARNING","severity":"critical",)"
            R"("message":"96 % of the memory is used, over 95 %","recommendation":"luzia pause","value":96,)"
            R"("threshold":95,"since":"2026-01-01T00:00:00.000000Z","since_us":1767225600000000,)"
            R"("ended":null,"ended_us":0,"position":7})");
}

TEST_F(AlertRows, TableShowsEndsOnlyIfOneEnded) {
  EXPECT_EQ(alerts_table(alerts_.list()).text({}),
            "ALERT   SEVERITY  SINCE                 MESSAGE                                WHAT TO DO\n"
            "memory  critical  2026-01-01 00:00:00Z  96 % of the memory is used, over 95 %  luzia pause\n");
  view::AlertT over = memory_alert();
  over.ended_us = kStart + kSecondUs;
  alerts_.add(over);
  const std::string both = alerts_table(alerts_.list()).text({});
  EXPECT_THAT(both, HasSubstr("UNTIL"));
  EXPECT_THAT(both, HasSubstr("2026-01-01 00:00:01Z"));
}

TEST_F(AlertRows, StatusBeginsWithAlerts) {
  const auto groups = group_by_attention(jobs_.list(), kStart);
  const std::string status = status_text(groups, {{}, alerts_.list()}, kStart + kMinuteUs, {});
  EXPECT_THAT(status, StartsWith("Alerts (1)\nALERT"));
  EXPECT_THAT(status, HasSubstr("\n\nWorking (1)\n"));
  EXPECT_THAT(status, HasSubstr("1 warning: has printed nothing for 10m"));
  EXPECT_THAT(status_text(groups, {}, kStart + kMinuteUs, {}), Not(HasSubstr("Alerts")));
  EXPECT_THAT(status_json(groups, {{}, alerts_.list()}, kStart, 9),
              HasSubstr(R"("alerts":[{"alert":"memory")"));
  EXPECT_THAT(status_json(groups, {}, kStart, 9), HasSubstr(R"("alerts":[])"));
  EXPECT_THAT(status_markdown(groups, {{}, alerts_.list()}, kStart), HasSubstr("| memory | critical | 2026"));
}

TEST_F(AlertRows, ErrorIsNotCalledAWarning) {
  view::JobT running = warned_job();
  running.warnings = 0;
  running.errors = 1;
  running.last_warning = "it broke";
  EXPECT_THAT(jobs_table({&jobs_.add(running)}, kStart).text({}), HasSubstr("1 error: it broke"));
}

TEST_F(AlertRows, NarrowTerminalIsToldTheWholeAlert) {
  EXPECT_EQ(alerts_text({}, alerts_.list(), {.width = 40}),
            "Alerts (1)\n"
            "  memory: 96 % of the memory is used,\n"
            "  over 95 %\n"
            "    luzia pause\n");
  EXPECT_THAT(alerts_text({}, alerts_.list(), {.width = 120}), HasSubstr("WHAT TO DO\n"));
}

TEST_F(AlertRows, WarningsShowCountAndLast) {
  view::JobT failed = warned_job();
  failed.state = schema::JobState::failed;
  failed.exit_code = 3;
  failed.errors = 2;
  failed.issues = 1;
  failed.last_warning = "a.cc: broken";
  jobs_.add(failed);
  EXPECT_EQ(alerts_text(jobs_.list(), {}, {}),
            "Warnings and errors (2)\n"
            "JOB            STATE    PROJECT  WARNINGS  ERRORS  ISSUES  LAST\n"
            "k000000000001  running  alpha           1       0       0  has printed nothing for 10m\n"
            "k000000000001  failed   alpha           1       2       1  exit code 3; a.cc: broken\n");
  view::JobT refuted = failed;
  refuted.reason = schema::EndReason::verify_failed;
  refuted.verified = false;
  refuted.failure = std::make_unique<view::FailureT>();
  refuted.failure->summary = "a.cc:3: no such header";
  EXPECT_THAT(alerts_text({&jobs_.add(refuted)}, {}, {}),
              AllOf(HasSubstr("refuted"), HasSubstr("  a.cc:3: no such header\n")));
  jobs_.add(failed);
  EXPECT_THAT(job_card(*jobs_.list().back(), kStart, {}),
              HasSubstr("\nfound       1 warning, 2 errors, 1 known issue (luzia issues k000000000001)\nlast "
                        "found  a.cc: broken\n"));
  failed.last_line = failed.last_warning;
  jobs_.add(failed);
  EXPECT_THAT(job_card(*jobs_.list().back(), kStart, {}), Not(HasSubstr("last found")))
      << "it is the last line of output, shown above";
  EXPECT_EQ(alerts_text({}, {}, {}), "");
}

}  // namespace
}  // namespace luzia::test
