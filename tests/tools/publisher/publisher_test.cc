// The Publisher with a fake daemon: order, repetition after a lost connection, a full queue, refusals.
#include "tools/publisher/publisher.h"

#include <atomic>
#include <set>

#include "tests/scratch.h"
#include "tests/tools/luzia/recording_daemon.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
namespace say = publication;

constexpr milliseconds kGenerous{60'000};

wire::ReplyUnion recorded_at(std::uint64_t position) {
  wire::AcceptedT reply;
  reply.position = position;
  return reply_of(std::move(reply));
}

class PublisherTest : public ScratchTest {
 protected:
  PublisherOptions options() const {
    PublisherOptions options;
    options.job = "1qfar2zr00c6x";
    options.attempt = 2;
    options.socket = scratch_ + "/socket";
    options.patience = kGenerous;
    options.flush_at_end = kGenerous;
    return options;
  }

  /// The steps in the received progress reports, in order of arrival, repetitions included.
  static std::vector<std::uint32_t> steps(const RecordingDaemon& daemon) {
    std::vector<std::uint32_t> all;
    for (const auto& frame : daemon.requests()) {
      const auto* progress = frame->request.AsPublish()->report.AsProgressReported();
      all.push_back(progress == nullptr ? 0 : progress->current_step);
    }
    return all;
  }

  static std::vector<std::uint32_t> from_to(std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t step = first; step <= last; ++step) all.push_back(step);
    return all;
  }
};

TEST_F(PublisherTest, PublishingReturnsThePosition) {
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(41)}; });
  Publisher publisher(options());
  const PublishResult result = publisher.publish(say::Progress{.progress_percent = 40});
  EXPECT_TRUE(result) << result.message;
  EXPECT_EQ(result.position, 41u);
  EXPECT_EQ(publisher.counts().recorded, 1u);
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 1u);
  const auto* publish = requests.front()->request.AsPublish();
  ASSERT_NE(publish, nullptr);
  EXPECT_EQ(publish->job, "1qfar2zr00c6x");
  EXPECT_EQ(publish->attempt, 2u);
  EXPECT_FALSE(publish->command_id.empty());
}

TEST_F(PublisherTest, RefusalComesFromTheDaemon) {
  RecordingDaemon daemon(
      scratch_, [](const auto&) { return std::vector{refused("already_ended", ErrorKind::refused)}; });
  Publisher publisher(options());
  const PublishResult result = publisher.publish(say::TaskFailed{.error = "late"});
  EXPECT_FALSE(result);
  EXPECT_EQ(result.code, "already_ended");
  EXPECT_EQ(result.message, "the daemon says no");
  EXPECT_EQ(result.hint, "try something else");
  EXPECT_EQ(publisher.counts().failed, 1u);
}

TEST_F(PublisherTest, DeferredReportsKeepTheirOrder) {
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(1)}; });
  constexpr std::uint32_t kMany = 1'500;
  Publisher publisher(options());
  for (std::uint32_t step = 1; step < kMany; ++step) {
    ASSERT_TRUE(publisher.publish_later(say::Progress{.current_step = step}));
  }
  EXPECT_TRUE(publisher.publish(say::Progress{.current_step = kMany}));
  EXPECT_EQ(steps(daemon), from_to(1, kMany));
  EXPECT_EQ(publisher.counts().recorded, kMany);
  EXPECT_TRUE(publisher.flush(kGenerous));
}

TEST_F(PublisherTest, UnansweredReportsAreRepeated) {
  std::atomic<int> left = 3;
  // The daemon receives the third request and hangs up without a reply.
  RecordingDaemon daemon(scratch_, [&](const auto&) {
    return --left == 0 ? std::vector<wire::ReplyUnion>{} : std::vector{recorded_at(1)};
  });
  Publisher publisher(options());
  constexpr std::uint32_t kMany = 200;
  for (std::uint32_t step = 1; step <= kMany; ++step) {
    ASSERT_TRUE(publisher.publish_later(say::Progress{.current_step = step}));
  }
  EXPECT_TRUE(publisher.flush(kGenerous));
  EXPECT_EQ(publisher.counts().recorded, kMany);
  std::map<std::uint32_t, std::set<std::string>> ids;
  std::vector<std::uint32_t> first_seen;
  for (const auto& frame : daemon.requests()) {
    const auto* publish = frame->request.AsPublish();
    const std::uint32_t step = publish->report.AsProgressReported()->current_step;
    if (ids[step].empty()) first_seen.push_back(step);
    ids[step].insert(publish->command_id);
  }
  EXPECT_EQ(first_seen, from_to(1, kMany));
  std::set<std::string> all;
  for (const auto& [step, of_step] : ids) {
    EXPECT_EQ(of_step.size(), 1u) << step;
    all.insert(of_step.begin(), of_step.end());
  }
  EXPECT_EQ(all.size(), kMany);
  EXPECT_GT(daemon.requests().size(), kMany) << "nothing was repeated";
}

TEST_F(PublisherTest, UnwrittenGroupIsSentAgain) {
  std::atomic<int> refusals = 2;
  RecordingDaemon daemon(scratch_, [&](const auto&) {
    return std::vector{refusals-- > 0 ? refused("commit_failed", ErrorKind::trouble) : recorded_at(5)};
  });
  Publisher publisher(options());
  EXPECT_EQ(publisher.publish(say::TaskStarted{.task_id = "a"}).position, 5u);
}

TEST_F(PublisherTest, FullBufferIsReported) {
  PublisherOptions with = options();
  with.max_batches = 2;
  with.flush_at_end = milliseconds(1);
  std::vector<std::uint32_t> failed;
  with.on_failure = [&](const Publication& publication, const PublishResult& result) {
    failed.push_back(std::get<say::Progress>(publication).current_step);
    EXPECT_EQ(result.code, "not_answered");
  };
  constexpr std::uint32_t kFits = 2 * Publisher::kBatch;
  {
    Publisher publisher(with);
    for (std::uint32_t step = 1; step <= kFits; ++step) {
      ASSERT_TRUE(publisher.publish_later(say::Progress{.current_step = step})) << step;
    }
    EXPECT_FALSE(publisher.publish_later(say::Progress{.current_step = 999}));
    EXPECT_EQ(publisher.counts().not_taken, 1u);
    EXPECT_FALSE(publisher.flush(milliseconds(1)));
  }
  EXPECT_EQ(failed, from_to(1, kFits)) << "each refusal is reported";
}

TEST_F(PublisherTest, LargeTextsFillTheBufferByBytes) {
  PublisherOptions with = options();
  with.max_buffer_bytes = 1'000;
  with.flush_at_end = milliseconds(1);
  Publisher publisher(with);
  EXPECT_TRUE(publisher.publish_later(say::TaskFailed{.error = std::string(900, 'x')}));
  EXPECT_FALSE(publisher.publish_later(say::TaskFailed{.error = std::string(200, 'x')}));
  EXPECT_TRUE(publisher.publish_later(say::TaskFailed{.error = "small"}));
}

TEST_F(PublisherTest, WithoutADaemonPublishingTimesOut) {
  PublisherOptions with = options();
  with.patience = milliseconds(30);
  Publisher publisher(with);
  const PublishResult result = publisher.publish(say::TaskCompleted{});
  EXPECT_EQ(result.code, "not_answered");
  EXPECT_THAT(result.message, HasSubstr("no daemon listens"));
  EXPECT_EQ(publisher.counts().failed, 1u);
}

TEST_F(PublisherTest, LaterDaemonGetsEarlierReports) {
  Publisher publisher(options());
  for (std::uint32_t step = 1; step <= 10; ++step) {
    ASSERT_TRUE(publisher.publish_later(say::Progress{.current_step = step}));
  }
  EXPECT_FALSE(publisher.flush(milliseconds(50)));
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(1)}; });
  EXPECT_TRUE(publisher.flush(kGenerous));
  EXPECT_EQ(steps(daemon), from_to(1, 10));
}

TEST_F(PublisherTest, LateRefusalFailsTheFlushOnce) {
  RecordingDaemon daemon(scratch_, [](const wire::ClientFrameT& frame) {
    const bool bad = frame.request.AsPublish()->report.AsProgressReported()->current_step == 2;
    return std::vector{bad ? refused("bad_report", ErrorKind::usage) : recorded_at(1)};
  });
  PublisherOptions with = options();
  std::atomic<int> told = 0;
  with.on_failure = [&](const Publication&, const PublishResult& result) {
    EXPECT_EQ(result.code, "bad_report");
    ++told;
  };
  Publisher publisher(with);
  for (std::uint32_t step = 1; step <= 3; ++step) {
    ASSERT_TRUE(publisher.publish_later(say::Progress{.current_step = step}));
  }
  EXPECT_FALSE(publisher.flush(kGenerous));
  EXPECT_TRUE(publisher.flush(kGenerous));
  EXPECT_EQ(publisher.counts().recorded, 2u);
  EXPECT_EQ(publisher.counts().failed, 1u);
  EXPECT_EQ(told, 1);
}

TEST_F(PublisherTest, DestructorWaitsForDeferredReports) {
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(1)}; });
  {
    Publisher publisher(options());
    for (std::uint32_t step = 1; step <= 100; ++step) {
      ASSERT_TRUE(publisher.publish_later(say::Progress{.current_step = step}));
    }
  }
  EXPECT_EQ(steps(daemon), from_to(1, 100));
}

TEST_F(PublisherTest, SilentDaemonDelaysNeitherCallerNorEnd) {
  // The daemon replies only to requests that nobody made.
  RecordingDaemon daemon(scratch_, [](const auto&) {
    wire::ProgressedT other;
    return std::vector{reply_of(std::move(other))};
  });
  PublisherOptions with = options();
  with.patience = milliseconds(20);
  with.flush_at_end = milliseconds(20);
  int told = 0;
  with.on_failure = [&](const Publication&, const PublishResult&) { ++told; };
  {
    Publisher publisher(with);
    EXPECT_EQ(publisher.publish(say::TaskCompleted{}).code, "not_answered");
    EXPECT_TRUE(publisher.publish_later(say::TaskCompleted{}));
  }
  EXPECT_EQ(told, 1);
}

TEST_F(PublisherTest, EachThreadKeepsItsOrder) {
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(1)}; });
  constexpr std::uint32_t kThreads = 8, kEach = 100;
  {
    Publisher publisher(options());
    std::vector<std::thread> threads;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&publisher, thread] {
        for (std::uint32_t step = 1; step <= kEach; ++step) {
          say::Progress progress{.current_step = step, .total_steps = thread};
          if (step % 10 == 0) {
            EXPECT_TRUE(publisher.publish(progress));
          } else {
            EXPECT_TRUE(publisher.publish_later(progress));
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_thread;
  for (const auto& frame : daemon.requests()) {
    const auto* progress = frame->request.AsPublish()->report.AsProgressReported();
    by_thread[progress->total_steps].push_back(progress->current_step);
  }
  ASSERT_EQ(by_thread.size(), kThreads);
  for (const auto& [thread, told] : by_thread) EXPECT_EQ(told, from_to(1, kEach)) << thread;
}

TEST_F(PublisherTest, InvalidAttemptVariableIsAnError) {
  ::unsetenv("LUZIA_JOB_ID");
  ::unsetenv("LUZIA_ATTEMPT");
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(1)}; });
  PublisherOptions with = options();
  with.job.clear();
  with.attempt = 0;
  ::setenv("LUZIA_JOB_ID", "1qfar2zr00c6x", 1);
  for (const char* attempt : {"two", "3x", "-1", " 3"}) {
    ::setenv("LUZIA_ATTEMPT", attempt, 1);
    Publisher publisher(with);
    const PublishResult result = publisher.publish(say::TaskCompleted{});
    EXPECT_EQ(result.code, "bad_value") << attempt;
    EXPECT_THAT(result.message, HasSubstr("$LUZIA_ATTEMPT: '" + std::string(attempt) + "'"));
    EXPECT_FALSE(publisher.publish_later(say::TaskCompleted{}));
    EXPECT_EQ(publisher.counts().failed, 1u);
    EXPECT_EQ(publisher.counts().not_taken, 1u);
  }
  EXPECT_TRUE(daemon.requests().empty());
  with.attempt = 2;
  EXPECT_TRUE(Publisher(with).publish(say::TaskCompleted{}))
      << "the job is named, so the environment is ignored";
  ::unsetenv("LUZIA_JOB_ID");
  ::unsetenv("LUZIA_ATTEMPT");
}

TEST_F(PublisherTest, TaskIsNamedOnlyOutsideOfAJob) {
  ::unsetenv("LUZIA_JOB_ID");
  ::unsetenv("LUZIA_ATTEMPT");
  RecordingDaemon daemon(scratch_, [](const auto&) { return std::vector{recorded_at(1)}; });
  PublisherOptions with = options();
  with.job.clear();
  with.attempt = 0;
  with.task_id = "nightly";
  with.project = "web";
  EXPECT_TRUE(Publisher(with).publish(say::TaskStarted{.description = "nightly build"}));
  with.job = "1qfar2zr00c6x";
  EXPECT_TRUE(Publisher(with).publish(say::Progress{.progress_percent = 40}));
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 2u);
  const auto* of_task = requests.front()->request.AsPublish();
  EXPECT_EQ(of_task->job, "");
  EXPECT_EQ(of_task->task_id, "nightly");
  EXPECT_EQ(of_task->project, "web");
  EXPECT_EQ(requests.back()->request.AsPublish()->task_id, "");
}

TEST_F(PublisherTest, WithoutAJobNothingIsSent) {
  ::unsetenv("LUZIA_JOB_ID");
  PublisherOptions with = options();
  with.job.clear();
  Publisher publisher(with);
  EXPECT_EQ(publisher.publish(say::TaskCompleted{}).code, "no_job");
  EXPECT_FALSE(publisher.publish_later(say::TaskCompleted{}));
}

}  // namespace
}  // namespace luzia
