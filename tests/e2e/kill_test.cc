// Kills the daemon with kill -9 again and again while jobs run and new ones are dispatched.

#include <algorithm>
#include <map>
#include <random>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::ElementsAreArray;

/// NAME LINES PAUSE CODE: reports that it runs, prints numbered lines, and a progress mark after every fifth.
constexpr const char* kAgent = R"(
echo "$LUZIA_JOB_ID" >> starts
i=1
while [ $i -le $2 ]; do
  echo "line $i of $1" | tee -a lines
  if [ $((i % 5)) = 0 ]; then printf '\033]9;4;1;%d\007\n' $((i * 100 / $2)); fi
  sleep $3
  i=$((i + 1))
done
exit $4
)";

struct Expected {
  int lines = 0, code = 0;
  std::vector<int> progress;
};

int rounds() {
  const char* wanted = ::getenv("LUZIA_E2E_ROUNDS");
  return wanted != nullptr ? std::max(1, static_cast<int>(std::strtol(wanted, nullptr, 10))) : 8;
}

class KilledDaemonTest : public DaemonTest {
 protected:
  void SetUp() override { script("agent.sh", kAgent); }

  /// Dispatches as a careful script does: repeats the command id until the job is acknowledged.
  void dispatch_agent(int number) {
    Expected expected;
    const int lines = 10 + 5 * (number % 6);
    expected.lines = lines + lines / 5;
    expected.code = number % 7;
    for (int i = 5; i <= lines; i += 5) expected.progress.push_back(i * 100 / lines);
    const std::string name = "agent-" + std::to_string(number);
    const std::string task = "./agent.sh " + name + " " + std::to_string(lines) + " 0." +
                             std::to_string(number % 4 + 2) + " " + std::to_string(expected.code);
    std::string id;
    EXPECT_TRUE(wait_until([&] {
      const Finished sent = luzia({"dispatch", "demo", task, "-q", "--command-id", "send-" + name});
      if (sent.code == 0) id = lines_of(sent.out).at(0);
      EXPECT_TRUE(sent.code == 0 || sent.code == 5) << sent.err;
      return sent.code == 0;
    })) << task;
    expected_[id] = expected;
  }

  void expect_run_as_told(const std::string& id, const Expected& expected) {
    const Json row = ended(id);
    EXPECT_EQ(row["exit_code"], expected.code) << row;
    EXPECT_EQ(row["state"], expected.code == 0 ? "completed" : "failed") << row;
    EXPECT_EQ(row["attempts"], 1) << row;
    EXPECT_EQ(row["output"]["lines"], expected.lines) << row;
    std::vector<int> progress;
    for (const Json& event : events_of(id, "ProgressReported"))
      progress.push_back(event["data"]["progress_percent"].get<int>());
    EXPECT_THAT(progress, ElementsAreArray(expected.progress)) << id;
    std::uint64_t counted = 0, to = 0;
    for (const Json& event : events_of(id, "OutputAppended")) {
      EXPECT_EQ(event["data"]["from"], to) << event;
      to = event["data"]["to"].get<std::uint64_t>();
      counted += event["data"]["lines"].get<std::uint64_t>();
    }
    EXPECT_EQ(counted, static_cast<std::uint64_t>(expected.lines)) << id;
  }

  std::map<std::string, Expected> expected_;
};

TEST_F(KilledDaemonTest, LosesAndRepeatsNoJobOrLine) {
  std::mt19937 random(std::random_device{}());
  int number = 0;
  while (number < 12) dispatch_agent(number++);
  for (int round = 0; round < rounds(); ++round) {
    // Waits for some lines; in some rounds not at all, while the daemon still starts or starts jobs.
    const std::size_t now = lines_of(read_text(project() + "/lines")).size();
    const std::size_t then = now + random() % 40;
    const auto all_ended = [this] { return luzia_json({"jobs"})["jobs"].empty(); };
    EXPECT_TRUE(
        wait_until([&] { return lines_of(read_text(project() + "/lines")).size() >= then || all_ended(); }));
    kill_daemon();
    if (random() % 2 == 0) start_daemon();
    dispatch_agent(number++);
  }
  for (const auto& [id, expected] : expected_) expect_run_as_told(id, expected);

  Words starts = lines_of(read_text(project() + "/starts"));
  std::sort(starts.begin(), starts.end());
  Words ids;
  for (const auto& [id, expected] : expected_) ids.push_back(id);
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(number)) << "an id was used twice";
  EXPECT_THAT(starts, ElementsAreArray(ids));
  expect_verified();
}

/// Failpoints of the commit path and of an attempt's life (engine/base/failpoint.h), each with the pass at
/// which the daemon exits.
constexpr const char* kFailpoints[] = {"append.write@5", "append.written@4", "append.marked@4",
                                       "commit.tell@5",  "launch.begin@1",   "launch.done@1",
                                       "start.report@1", "end.report@1",     "end.forget@1"};

TEST_F(KilledDaemonTest, AtEachFailpointLosesAndRepeatsNoJob) {
  int number = 0;
  for (const char* point : kFailpoints) {
    if (daemon_pid() != 0) stop_daemon();
    const auto [started, failing] = start_daemon_that_ends_at(point);
    dispatch_agent(number++);
    // Agents of earlier rounds may take it to the failpoint while it still starts.
    EXPECT_TRUE(started.code == 0 || failing == 0) << started.err;
    EXPECT_TRUE(failing == 0 || wait_until([pid = failing] { return !is_running(pid); }))
        << point << " was not reached";
  }
  for (const auto& [id, expected] : expected_) expect_run_as_told(id, expected);
  EXPECT_EQ(lines_of(read_text(project() + "/starts")).size(), static_cast<std::size_t>(number));
  expect_verified();
}

TEST_F(KilledDaemonTest, FindsTheExitOfAJobThatEndedMeanwhile) {
  const std::string id = dispatch("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 42");
  ASSERT_TRUE(becomes(id, "running"));
  kill_daemon();
  write_text(project() + "/go", "");
  ASSERT_TRUE(wait_until([&] { return own_processes().empty(); })) << "its luzia-run, too";
  start_daemon();
  const Json row = job(id);
  EXPECT_EQ(row["state"], "failed") << "the first reply must include it";
  EXPECT_EQ(row["exit_code"], 42);
  EXPECT_EQ(row["output"]["lines"], 2);
  expect_verified();
}

TEST_F(KilledDaemonTest, WritesALostJobsExitLineAfterAKill) {
  const auto [started, failing] = start_daemon_that_ends_at("end.forget@1");
  ASSERT_EQ(started.code, 0) << started.err;
  const std::string id = dispatch("echo one; while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(id, "running"));
  const std::string output = job_dir(id) + "/output.log";
  ASSERT_TRUE(wait_until([&] { return read_text(output) == "one\n"; }));
  const Json data = events_of(id, "AttemptStarted").at(0)["data"];
  const pid_t agent = job(id)["pid"].get<pid_t>();
  ::kill(data["runner_pid"].get<pid_t>(), SIGKILL);
  ::kill(-agent, SIGKILL);
  ASSERT_TRUE(wait_until([pid = failing] { return !is_running(pid); }));
  EXPECT_EQ(read_text(output), "one\n");
  start_daemon();
  EXPECT_EQ(state(id), "lost");
  EXPECT_TRUE(wait_until([&] { return read_text(output) == "one\n\nexit:1\n"; })) << read_text(output);
}

}  // namespace
}  // namespace luzia
