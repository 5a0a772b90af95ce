// The lines of notifications.log, and up to which event they were written.
#include "tools/luziad/hooks/notifications.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/memory/memory_event_log.h"
#include "tests/projections/log_writer.h"
#include "tests/scratch.h"
#include "tests/text_files.h"

namespace luzia::test {
namespace {

using schema::EndReason;

NewEvent signalled(const std::string& job, int signal) {
  schema::AttemptEndedT fact;
  fact.attempt = 1;
  fact.signal = signal;
  return job_event(job, std::move(fact));
}

class NotificationsOfTest : public ScratchTest {
 protected:
  NotificationsOfTest() {
    std::filesystem::create_directories(scratch_ + "/store");
    uv_loop_init(&loop_);
  }
  ~NotificationsOfTest() override {
    close();
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  /// Begins or ends a daemon's life.
  void open() {
    notifications_ = std::make_unique<Notifications>(
        scratch_ + "/store", [this] { return scratch_ + "/jobs"; }, log_, workers_);
    notifications_->catch_up(log_.tip().position);
  }
  void close() {
    uv_run(&loop_, UV_RUN_DEFAULT);
    notifications_.reset();
  }
  /// Ends a job in its own group and notifies an open daemon.
  void end(const std::string& job, int code) {
    writer_.add(attempt_ended(job, code, writer_.now));
    writer_.add(ended(job, code == 0 ? schema::JobState::completed : schema::JobState::failed));
    const auto group = writer_.commit();
    if (notifications_) notifications_->committed(group);
  }
  /// The lines without their times.
  std::vector<std::string> lines() {
    uv_run(&loop_, UV_RUN_DEFAULT);
    std::ifstream file(scratch_ + "/jobs/notifications.log");
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) found.push_back(line.substr(line.find(']') + 2));
    return found;
  }
  std::string notified() const { return whole_text(scratch_ + "/store/notified"); }

  uv_loop_t loop_{};
  Workers workers_{&loop_};
  MemoryEventLog log_;
  LogWriter writer_{log_};
  std::unique_ptr<Notifications> notifications_;
};

TEST_F(NotificationsOfTest, LineShowsExitOrReason) {
  writer_.add(attempt_ended("a", 3, 0));
  writer_.add(ended("a", schema::JobState::failed));
  writer_.add(signalled("b", 15));
  writer_.add(ended("b", schema::JobState::timed_out, EndReason::timed_out));
  writer_.add(ended("c", schema::JobState::killed, EndReason::cancelled_before_start));
  schema::AttemptEndedT unstarted;
  unstarted.attempt = 1;
  unstarted.start_error = "no such program";
  writer_.add(job_event("d", std::move(unstarted)));
  writer_.add(ended("d", schema::JobState::failed, EndReason::start_failed));
  std::istringstream text(end_lines(*writer_.commit()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line.substr(11));
  EXPECT_THAT(lines,
              ElementsAre("Agent a finished (exit 3)", "Agent b finished (exit -15)",
                          "Agent c finished (cancelled_before_start)", "Agent d finished (start_failed)"));
}

TEST_F(NotificationsOfTest, TimeIsTheLocalEndTime) {
  setenv("TZ", "UTC-2", 1);
  tzset();
  writer_.now = kEpoch + 5 * kHourUs + 6 * kMinuteUs + 7 * kSecondUs;
  writer_.add(ended("c", schema::JobState::killed, EndReason::cancelled_before_start));
  EXPECT_EQ(end_lines(*writer_.commit()).substr(0, 10), "[07:06:07]");
  unsetenv("TZ");
  tzset();
}

TEST_F(NotificationsOfTest, RetriedEndHasItsLine) {
  writer_.add(attempt_ended("a", 1, 0));
  writer_.add(ended("a", schema::JobState::failed));
  schema::JobRetriedT retried;
  retried.attempt = 2;
  writer_.add(job_event("a", std::move(retried)));
  EXPECT_THAT(end_lines(*writer_.commit()), testing::HasSubstr("Agent a finished (exit 1)\n"));
}

TEST_F(NotificationsOfTest, LaterDaemonReportsMissedEndsOnce) {
  open();
  end("a", 0);
  EXPECT_THAT(lines(), ElementsAre("Agent a finished (exit 0)"));
  close();
  end("b", 1);  // no daemon is running
  end("c", 2);
  open();
  EXPECT_THAT(lines(), ElementsAre("Agent a finished (exit 0)", "Agent b finished (exit 1)",
                                   "Agent c finished (exit 2)"));
  EXPECT_EQ(notified(), "00000000000000000006\n");
  close();
  open();
  EXPECT_EQ(lines().size(), 3u);
}

TEST_F(NotificationsOfTest, OldStoreIsNotReportedAgain) {
  end("a", 0);
  open();
  EXPECT_THAT(lines(), IsEmpty());
  end("b", 1);
  EXPECT_THAT(lines(), ElementsAre("Agent b finished (exit 1)"));
}

TEST_F(NotificationsOfTest, UnreadableCursorCountsAsUpToDate) {
  open();
  end("a", 0);
  close();
  std::ofstream(scratch_ + "/store/notified") << "half";
  end("b", 1);
  open();
  EXPECT_THAT(lines(), ElementsAre("Agent a finished (exit 0)"));
}

TEST_F(NotificationsOfTest, CursorBeyondARestoredLogIsReset) {
  std::ofstream(scratch_ + "/store/notified") << "00000000000000000900\n";
  end("a", 0);
  open();
  end("b", 1);
  EXPECT_THAT(lines(), ElementsAre("Agent b finished (exit 1)"));
}

TEST_F(NotificationsOfTest, UnwrittenLinesComeWithTheNextEnd) {
  std::filesystem::create_directories(scratch_ + "/jobs/notifications.log");  // blocks the file's name
  open();
  end("a", 0);
  close();
  open();
  end("b", 1);
  uv_run(&loop_, UV_RUN_DEFAULT);
  std::filesystem::remove(scratch_ + "/jobs/notifications.log");
  end("c", 2);
  EXPECT_THAT(lines(), ElementsAre("Agent a finished (exit 0)", "Agent b finished (exit 1)",
                                   "Agent c finished (exit 2)"));
}

}  // namespace
}  // namespace luzia::test
