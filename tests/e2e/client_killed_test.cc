// A client dies between sending a command and getting the reply. Sending the command again with the same id
// gives the one existing job.
#include <sys/syscall.h>

#include <atomic>
#include <set>

#include "tests/e2e/daemon_fixture.h"
#include "tests/failing_calls/failing_calls.h"

namespace luzia {
namespace {

/// The system calls of a client from its connection on.
const std::vector<int> kCallsOfClient = {
    SYS_connect, SYS_sendto, SYS_sendmsg, SYS_write,      SYS_writev,      SYS_read,     SYS_recvfrom,
    SYS_recvmsg, SYS_poll,   SYS_ppoll,   SYS_epoll_wait, SYS_epoll_pwait, SYS_shutdown, SYS_exit_group};

class KilledClientTest : public DaemonTest {
 protected:
  KilledClientTest()
      : calls_(path("calls"), kCallsOfClient, [this](const AskedCall& call) { return decide(call); }) {
    start_daemon();
  }

  int decide(const AskedCall& call) {
    if (call.program() != "luzia") return FailingCalls::kGoOn;
    if (call.number == SYS_connect) connected_ = true;
    return connected_ && ++seen_ == place_ ? FailingCalls::kKill : FailingCalls::kGoOn;
  }

  /// Runs the client and kills it at that call; false if it makes fewer calls.
  bool killed_at(int place, const Words& words) {
    place_ = place;
    seen_ = 0;
    connected_ = false;
    Words all = {kLuzia};
    all.insert(all.end(), words.begin(), words.end());
    // A leak checker that is killed during its work at exit would leave its process behind.
    const Finished client = run_to_end(calls_.filtered(all), environment({"ASAN_OPTIONS=detect_leaks=0"}));
    EXPECT_EQ(client.code, seen_ >= place ? 128 + SIGKILL : 0) << client.err;
    return seen_ >= place;
  }

  std::atomic<int> place_{0}, seen_{0};
  std::atomic<bool> connected_{false};
  FailingCalls calls_;
};

TEST_F(KilledClientTest, RepeatedDispatchIsOneJob) {
  std::set<std::string> ids;
  bool was_killed = true;
  int place = 1;
  for (; was_killed; ++place) {
    const Words words = {"dispatch", "demo",         "echo $LUZIA_JOB_ID >> runs",
                         "-q",       "--command-id", "dispatch-" + std::to_string(place)};
    was_killed = killed_at(place, words);
    const Finished again = luzia(words);
    ASSERT_EQ(again.code, 0) << again.err;
    ids.insert(lines_of(again.out).at(0));
  }
  EXPECT_GT(place, 6) << "the client never makes the listed calls";
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(place - 1));
  EXPECT_EQ(luzia_json({"jobs", "--all", "--limit", "1000"})["jobs"].size(), ids.size());
  for (const std::string& id : ids) EXPECT_EQ(ended(id)["state"], "completed");
  const Words runs = lines_of(read_text(project() + "/runs"));
  EXPECT_EQ(std::set<std::string>(runs.begin(), runs.end()), ids);
  EXPECT_EQ(runs.size(), ids.size());
  expect_verified();
}

TEST_F(KilledClientTest, RepeatedRetryIsOneAttempt) {
  const std::string id = dispatch("exit 1");
  ended(id);
  int retries = 0;
  for (bool was_killed = true; was_killed; ++retries) {
    const Words words = {"retry", id, "--command-id", "retry-" + std::to_string(retries)};
    was_killed = killed_at(retries + 1, words);
    const Finished again = luzia(words);
    ASSERT_EQ(again.code, 0) << again.err;
    ended(id);
  }
  EXPECT_GT(retries, 5) << "the client never makes the listed calls";
  EXPECT_EQ(job(id)["attempts"], retries + 1);
  expect_verified();
}

}  // namespace
}  // namespace luzia
