// Waiting for a job until its end: the exit code, the time limit, and what is repeated to the next daemon.
#include <csignal>

#include "tests/matchers.h"
#include "tests/packed_event.h"
#include "tests/tools/luzia/program_fixture.h"
#include "tools/luzia/look/waiting.h"

namespace luzia {
namespace {

using WaitClock = TimedWait::Clock;
using std::chrono::milliseconds;

constexpr const char* kStayed = "0kx8aaaaaaaaa";

view::JobT ended_with(schema::JobState state, int code) {
  view::JobT row = job(kStayed, state);
  row.attempt = 1;
  row.exit_code = code;
  return row;
}

std::vector<wire::ReplyUnion> always(const wire::ClientFrameT& frame, const view::JobT& row) {
  return std::vector{frame.request.AsDispatch() != nullptr ? accepted({kStayed}) : job_rows({row})};
}

/// The daemon's report: the job has ended, at position 12.
wire::ReplyUnion told_end() {
  schema::JobEndedT fact;
  fact.state = schema::JobState::completed;
  schema::EventT event;
  event.position = 12;
  const std::string bytes = PackedEvent(job_event(kStayed, std::move(fact)), std::move(event)).bytes();
  wire::EventsT events;
  events.position = 12;
  events.events.push_back(std::make_unique<wire::RowT>());
  events.events.back()->data.assign(bytes.begin(), bytes.end());
  return reply_of(std::move(events));
}

TEST_F(ProgramTest, WatchRefreshesStaleRows) {
  int looks = 0;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.AsFollow() != nullptr) return std::vector{told_end()};
    const bool known = ++looks > 3;  // no further event comes
    return std::vector{
        job_rows({job(kStayed, known ? schema::JobState::completed : schema::JobState::running)})};
  });
  const Ran ran = run({"watch", kStayed, "--quiet-output"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("running"));
  EXPECT_THAT(ran.out, HasSubstr("completed"));
  EXPECT_EQ(looks, 4);
}

TEST_F(ProgramTest, IncompleteJobIsNoSuccess) {
  using enum schema::JobState;
  view::JobT row;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.AsTail() == nullptr) return always(frame, row);
    wire::OutputT end;
    end.last = true;
    return std::vector{reply_of(std::move(end))};
  });
  const auto expect_code = [&](int code) {
    EXPECT_EQ(run({"wait", kStayed, "--exit-code"}).code, code) << schema::EnumNameJobState(row.state);
    EXPECT_EQ(run({"dispatch", "web", "x", "--wait", "--exit-code"}).code, code);
    EXPECT_EQ(run({"dispatch", "web", "x", "--fg"}).code, code);
  };
  for (const auto state : {failed, timed_out, killed, lost}) {
    row = ended_with(state, 0);
    expect_code(1);
    row = ended_with(state, 6);
    expect_code(6);
  }
  row = ended_with(completed, 0);
  expect_code(0);
  row = ended_with(completed, 3);  // its agent's exit_codes count it as a success
  expect_code(3);
}

TEST_F(ProgramTest, WaitTimeoutSpansDaemonRestarts) {
  int waits = 0;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.AsWait() == nullptr || ++waits > 1)
      return always(frame, ended_with(schema::JobState::failed, 1));
    for (const auto begun = WaitClock::now(); WaitClock::now() < begun + milliseconds(3);) continue;
    return std::vector<wire::ReplyUnion>();
  });
  EXPECT_EQ(run({"wait", kStayed, "--timeout", "1h"}).code, 1);
  const auto requests = daemon.requests();
  ASSERT_EQ(requests.size(), 2u);
  const auto first = requests[0]->request.AsWait()->timeout_ms,
             second = requests[1]->request.AsWait()->timeout_ms;
  EXPECT_LE(first, 3'600'000u);
  EXPECT_LT(second, first);
}

TEST(TimedWait, SendsTheRemainingTime) {
  const WaitClock::time_point begun{};
  wire::WaitT wait;
  EXPECT_EQ(TimedWait(wait, begun).at(begun + std::chrono::hours(1)).timeout_ms, 0u) << "for ever";
  wait.timeout_ms = 1'000;
  const TimedWait timed(wait, begun);
  EXPECT_EQ(timed.at(begun).timeout_ms, 1'000u);
  EXPECT_EQ(timed.at(begun + milliseconds(400)).timeout_ms, 600u);
  EXPECT_EQ(timed.at(begun + milliseconds(1'000)).timeout_ms, 1u) << "0 would mean forever";
  EXPECT_EQ(timed.at(begun + std::chrono::hours(1)).timeout_ms, 1u);
  wait.timeout_ms = ~std::uint64_t{0};
  EXPECT_GT(TimedWait(wait, begun).at(begun).timeout_ms, 1'000'000'000u) << "beyond the range of a clock";
}

/// Blocks SIGTERM in the calling thread and the threads that it starts; whoever waits for the signal reads
/// it.
class TermBlocked {
 public:
  TermBlocked() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  ~TermBlocked() {
    const timespec none{};
    ::sigtimedwait(&set_, nullptr, &none);
    ::pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }

 private:
  sigset_t set_{};
};

TEST_F(ProgramTest, ForegroundCancelIsRepeatedUntilAnswered) {
  const TermBlocked blocked;
  int waits = 0;
  std::vector<std::string> cancels;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (const auto* act = frame.request.AsActOnJobs()) {
      cancels.push_back(act->command_id);
      return cancels.size() < 3 ? std::vector<wire::ReplyUnion>() : std::vector{accepted({kStayed})};
    }
    if (frame.request.AsWait() != nullptr && ++waits == 1) {
      ::kill(::getpid(), SIGTERM);  // and hangs up
      return std::vector<wire::ReplyUnion>();
    }
    return always(frame, ended_with(schema::JobState::killed, 143));
  });
  EXPECT_EQ(run({"dispatch", "web", "x", "--fg"}).code, 143);
  ASSERT_EQ(cancels.size(), 3u);
  EXPECT_THAT(cancels.front(), HasSubstr("cli-"));
  EXPECT_THAT(cancels, ::testing::Each(cancels.front())) << "it takes effect once";
}

TEST_F(ProgramTest, LateForegroundCancelIsSilent) {
  const TermBlocked blocked;
  int waits = 0;
  bool cancelled = false;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (frame.request.AsActOnJobs() != nullptr) {
      cancelled = true;
      return std::vector{refused("already_ended", ErrorKind::refused)};
    }
    if (frame.request.AsWait() != nullptr && ++waits == 1) {
      ::kill(::getpid(), SIGTERM);
      return std::vector<wire::ReplyUnion>();
    }
    return always(frame, ended_with(schema::JobState::completed, 0));
  });
  EXPECT_EQ(run({"dispatch", "web", "x", "--fg"}).code, 0);
  EXPECT_TRUE(cancelled);
}

}  // namespace
}  // namespace luzia
