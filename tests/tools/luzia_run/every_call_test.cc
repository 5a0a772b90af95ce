// Runs luzia-run with each of its system calls failing once, and kills it at each of them. The records must
// match what happened. No attempt may run twice, or run unknown to the daemon.
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>
#include <set>

#include "tests/adapters/launcher/attempt_fixture.h"
#include "tests/failing_calls/failing_calls.h"

namespace luzia {
namespace {

const std::vector<int> kCalls = {
    SYS_open,       SYS_openat, SYS_read,      SYS_write, SYS_pwrite64, SYS_newfstatat,
    SYS_fstat,      SYS_flock,  SYS_fallocate, SYS_fsync, SYS_renameat, SYS_unlinkat,
    SYS_getdents64, SYS_setsid, SYS_chdir,     SYS_dup2,  SYS_vfork,    SYS_fork,
    SYS_clone,      SYS_execve, SYS_prctl,     SYS_fcntl, SYS_mkdirat,  SYS_rt_sigtimedwait};
const std::set<int> kNeedSpace = {SYS_open, SYS_openat, SYS_write, SYS_pwrite64, SYS_fallocate, SYS_renameat};

class EveryCall : public AttemptTest {
 protected:
  EveryCall() : calls_(path("calls"), kCalls, [this](const AskedCall& call) { return decide(call); }) {
    calls_.place(path("runner"), runner_program());
  }

  int decide(const AskedCall& call) {
    if (decision_ == ENOSPC && !kNeedSpace.contains(call.number)) return FailingCalls::kGoOn;
    if (call.program() != "luzia-run") return FailingCalls::kGoOn;
    if (every_ != 0) return call.number == every_ && ++seen_ > 0 ? decision_.load() : FailingCalls::kGoOn;
    if (++seen_ != place_) return FailingCalls::kGoOn;
    number_ = call.number;
    return decision_;
  }

  LaunchSpec attempt(const std::string& job, bool with_check) {
    LaunchSpec launch = shell("echo ran >>$S/" + job + ".runs; echo said; exit 3");
    launch.job = job;
    launch.job_dir = path("jobs/" + job);
    ::mkdir(launch.job_dir.c_str(), 0700);
    write_text(launch.job_dir + "/prompt.txt", "the prompt\n");
    if (with_check) {
      launch.preflight = {"true"};
      launch.preflight_timeout_ms = 10'000;
    }
    return launch;
  }

  /// Runs an attempt in which call number `place` meets `decision`; false if it makes fewer calls.
  bool met(int place, int decision, bool with_check) {
    place_ = place;
    decision_ = decision;
    number_ = 0;
    seen_ = 0;
    const LaunchSpec launch = attempt("j" + std::to_string(++jobs_), with_check);
    SCOPED_TRACE(launch.job + ", call " + std::to_string(place) + " meets " + std::to_string(decision));
    const auto launched = Launcher(path("runner")).launch(launch);
    expect_truth(launch, launched);
    if (seen_ >= place) return true;
    EXPECT_EQ(runs(launch), 1u) << "with nothing failing";
    return false;
  }

  std::size_t runs(const LaunchSpec& launch) const {
    return read_text(path(launch.job + ".runs")).size() / std::string_view("ran\n").size();
  }

  /// Compares what the daemon would conclude with what the agent did.
  void expect_truth(const LaunchSpec& launch, const Result<Claim>& launched) {
    EXPECT_TRUE(wait_until([&] { return !is_claim_held(launch.run_dir, launch.job, 1); }));
    const auto claim = read_claim(launch.run_dir, launch.job, 1);
    const auto record = read_left_record(launch.run_dir, launch.job, 1);
    ASSERT_TRUE(record) << record.error().message;
    if (*record) return expect_true_record(launch, **record);
    if (decision_ == FailingCalls::kKill && claim && *claim && (*claim)->agent.pid != 0) {
      // Nobody can know its exit: the daemon watches the agent and reports it as lost.
      EXPECT_TRUE(wait_until([&] { return !is_alive((*claim)->agent); }));
      EXPECT_LE(runs(launch), 1u);
      return;
    }
    EXPECT_EQ(runs(launch), 0u) << "it ran, and no record shows it: call " << number_;
    // A killed luzia-run may have reported its claim before it died; the claim then shows that there is no
    // agent.
    EXPECT_TRUE(!launched || decision_ == FailingCalls::kKill) << "call " << number_;
    if (launched) return;
    EXPECT_FALSE(launched.error().message.empty());
    EXPECT_EQ(std::count(launched.error().message.begin(), launched.error().message.end(), '\n'), 0);
  }

  void expect_true_record(const LaunchSpec& launch, const schema::AttemptEndedT& end) {
    if (!end.start_error.empty()) {
      EXPECT_EQ(runs(launch), 0u) << end.start_error;
      return;
    }
    if (decision_ == FailingCalls::kKill && end.signal == SIGKILL) {
      EXPECT_EQ(runs(launch), 0u) << "SIGKILL hit luzia-run's child before its exec";
      return;
    }
    EXPECT_EQ(end.exit_code, 3) << "call " << number_;
    EXPECT_EQ(end.output_bytes, 5u) << "call " << number_;
    EXPECT_EQ(runs(launch), 1u) << "call " << number_;
  }

  int jobs_ = 0;
  std::atomic<int> place_{0}, decision_{0}, seen_{0}, number_{0};
  std::atomic<int> every_{0};  // this call fails each time, and no other one
  FailingCalls calls_;
};

TEST_F(EveryCall, FailureIsAStartErrorOrHarmless) {
  int without_check = 0;
  for (const int error : {EIO, ENOSPC}) {
    for (const bool with_check : {false, true}) {
      int place = 1;
      while (met(place, error, with_check)) ++place;
      EXPECT_GT(place, with_check ? without_check : 15) << "luzia-run never makes the chosen calls";
      if (!with_check) without_check = place;
      RecordProperty(std::string(error == EIO ? "eio" : "enospc") + (with_check ? "_with_check" : ""),
                     place - 1);
    }
  }
}

TEST_F(EveryCall, FileSystemThatCannotReserveSpaceIsNoFailure) {
  every_ = SYS_fallocate;
  decision_ = EOPNOTSUPP;
  const LaunchSpec launch = attempt("j1", false);
  const auto launched = Launcher(path("runner")).launch(launch);
  ASSERT_TRUE(launched) << launched.error().message;
  expect_truth(launch, launched);
  EXPECT_EQ(runs(launch), 1u);
  EXPECT_GT(seen_.load(), 0) << "luzia-run reserves no space";
}

TEST_F(EveryCall, KillLeavesAKnownAgentOrNone) {
  for (const bool with_check : {false, true}) {
    int place = 1;
    while (met(place, FailingCalls::kKill, with_check)) ++place;
    EXPECT_GT(place, 40) << "luzia-run never makes the chosen calls";
    RecordProperty(with_check ? "calls_with_check" : "calls", place - 1);
  }
}

}  // namespace
}  // namespace luzia
