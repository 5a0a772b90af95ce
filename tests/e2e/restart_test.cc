// A second daemon, an orderly stop, a restored backup.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

using RestartTest = DaemonTest;

TEST_F(RestartTest, SecondDaemonOnTheStoreRefusesToStart) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  const Finished second = run_to_end({kLuziad, "--store", store()}, environment());
  EXPECT_EQ(second.code, 4) << second.err;
  EXPECT_EQ(error_lines(second.err), 1u) << second.err;
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed") << "the first one goes on";
}

TEST_F(RestartTest, BadConfigurationAllowsReadingAndCanceling) {
  const std::string id = dispatch_until("running", "sleep 1000");
  configure("[queue]\nmax_runing = 2\n");
  const Finished seen = luzia({"status"});
  EXPECT_EQ(seen.code, 0) << seen.err;
  EXPECT_THAT(seen.err, HasSubstr("max_runing"));
  const Finished restarted = luzia({"daemon", "restart"});
  EXPECT_EQ(restarted.code, 2);
  EXPECT_THAT(restarted.err, HasSubstr("max_runing"));
  EXPECT_EQ(state(id), "running") << "the daemon still runs and can report it";
  EXPECT_EQ(luzia({"cancel", id, "--grace", "0"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_EQ(luzia({"daemon", "stop"}).code, 0);
  EXPECT_EQ(luzia({"status"}).code, 2) << "no daemon starts with it";
}

TEST_F(RestartTest, StoppedDaemonHasReleasedTheStore) {
  for (int round = 0; round < 5; ++round) {
    ended(dispatch("true"));
    ASSERT_EQ(luzia({"daemon", "stop"}).code, 0);
    const Finished alone = query({"replay", "--rebuild"});  // takes the store's lock
    EXPECT_EQ(alone.code, 0) << alone.err;
  }
}

TEST_F(RestartTest, ManyClientsStartOneDaemon) {
  std::vector<std::unique_ptr<BesideProgram>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(
        std::make_unique<BesideProgram>(Words{kLuzia, "dispatch", "demo", "echo x >> runs", "-q"},
                                        environment(), path("client-" + std::to_string(i))));
  }
  for (const auto& client : clients) {
    EXPECT_EQ(client->end(), 0) << client->output();
    ended(lines_of(client->output()).at(0));
  }
  EXPECT_EQ(lines_of(read_text(project() + "/runs")).size(), 8u);
}

TEST_F(RestartTest, NextDaemonAdoptsRunningJobs) {
  const std::string id = dispatch("echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 12");
  ASSERT_TRUE(becomes(id, "running"));
  const Json before = job(id);
  stop_daemon();
  EXPECT_TRUE(is_running(before["pid"].get<pid_t>())) << "jobs outlive the daemon";
  start_daemon();
  EXPECT_EQ(job(id)["pid"], before["pid"]);
  write_text(project() + "/go", "");
  const Json row = ended(id);
  EXPECT_EQ(row["exit_code"], 12);
  EXPECT_EQ(row["attempts"], 1);
  EXPECT_EQ(row["output"]["lines"], 2);
  std::size_t stops = 0;
  for (const Json& event : events()) stops += event["type"] == "DaemonStopped" ? 1 : 0;
  EXPECT_EQ(stops, 1u);
  expect_verified();
}

TEST_F(RestartTest, NextDaemonShowsASilentJobsLastLine) {
  const std::string id = dispatch("echo '::warning::low on ink'; echo; exec sleep 600");
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "AnnotationFound").empty(); }));
  const Json before = job(id)["last_line"];
  EXPECT_THAT(before.get<std::string>(), HasSubstr("low on ink"));
  kill_and_start_daemon();
  EXPECT_TRUE(wait_until([&] { return job(id)["last_line"] == before; }));
}

TEST_F(RestartTest, CorrectMetaJsonIsNotRewritten) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  const std::string meta = job_dir(id) + "/meta.json";
  const auto says_running = [&] {
    const Json written = Json::parse(read_text(meta), nullptr, false);
    return written.is_object() && written.value("state", "") == "running";
  };
  ASSERT_TRUE(wait_until([&] { return fs::exists(meta) && says_running(); }));
  fs::create_hard_link(meta, path("first"));
  restart_daemon();
  // Once another job has run, the daemon has finished what it does at its start.
  ended(dispatch("true"));
  EXPECT_TRUE(fs::equivalent(meta, path("first")));
  fs::remove(meta);
  kill_and_start_daemon();
  EXPECT_TRUE(wait_until([&] { return fs::exists(meta); })) << "a missing file is written again";
  EXPECT_TRUE(says_running());
  write_text(project() + "/go", "");
  ended(id);
}

TEST_F(RestartTest, QueuedJobsStartAfterARestart) {
  EXPECT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string id = dispatch("echo ran");
  restart_daemon();
  EXPECT_EQ(state(id), "queued") << "the pause outlives the daemon";
  EXPECT_EQ(luzia({"resume", "--all"}).code, 0);
  EXPECT_EQ(ended(id)["state"], "completed");
}

TEST_F(RestartTest, JobEndedAfterTheBackupFollowsItsFolder) {
  const std::string waits = "while [ ! -e go ]; do sleep 0.05; done; echo out; exit 3";
  const std::string known = dispatch(waits), foreign = dispatch(waits), bare = dispatch(waits);
  for (const std::string& id : {known, foreign, bare}) ASSERT_TRUE(becomes(id, "running"));
  ASSERT_EQ(query({"backup", path("copy")}).code, 0);
  write_text(project() + "/go", "");
  for (const std::string& id : {known, foreign, bare}) ended(id);
  // The next daemon removes what the store kept of them.
  restart_daemon();
  stop_daemon();
  ASSERT_FALSE(fs::exists(store() + "/run/" + known + ".1.exit"));
  fs::remove_all(store());
  fs::rename(path("copy"), store());
  write_text(job_dir(foreign) + "/exit.json", read_text(job_dir(known) + "/exit.json"));
  fs::remove(job_dir(bare) + "/exit.json");
  start_daemon();
  const Json row = ended(known);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_EQ(row["exit_code"], 3) << row;
  EXPECT_EQ(row["output"]["lines"], 1) << row;
  EXPECT_THAT(luzia({"why", known}).out, HasSubstr("read in exit.json of attempt 1"));
  EXPECT_EQ(ended(foreign)["state"], "lost");
  EXPECT_EQ(ended(bare)["state"], "lost");
  expect_verified();
}

TEST_F(RestartTest, LogShorterThanTheWatermarkIsRefused) {
  ended(dispatch("echo kept"));
  ASSERT_EQ(query({"backup", path("copy")}).code, 0);
  ended(dispatch("echo later"));
  stop_daemon();
  fs::remove_all(store() + "/log");
  fs::copy(path("copy") + "/log", store() + "/log", fs::copy_options::recursive);
  const Finished refused = luzia({"jobs"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("events have been lost"));
}

TEST_F(RestartTest, RemovedRowsAreRebuilt) {
  const std::string id = dispatch("echo one; exit 3");
  ended(id);
  const Json before = job(id);
  stop_daemon();
  fs::remove_all(store() + "/views");
  start_daemon();
  EXPECT_EQ(job(id), before);
  expect_verified();
}

/// A daemon as systemd starts it: the socket exists before it and outlives it.
class HandedSocketTest : public DaemonTest {
 protected:
  HandedSocketTest() {
    fs::create_directories(programs_);
    fs::copy_file(kLuziad, programs_ / "luziad");
    write_text(programs_ / "luzia-run", "#!/bin/sh\n");
    fs::permissions(programs_ / "luzia-run", fs::perms::owner_all);
    fs::create_directories(store());
    fs::permissions(store(), fs::perms::owner_all);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket().copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_, 16), 0);
    const std::string start =
        "LISTEN_PID=$$ LISTEN_FDS=1 exec '" + (programs_ / "luziad").string() + "' --store '" + store() + "'";
    daemon_ = std::make_unique<BesideProgram>(
        Words{"/bin/sh", "-c", start}, environment(), path("luziad.out"), [] {}, listening_);
  }
  ~HandedSocketTest() override { ::close(listening_); }

  std::string socket() const { return store() + "/socket"; }
  Json daemon_pid_by_socket() const { return luzia_json({"daemon", "status"})["pid"]; }

  fs::path programs_ = path("programs");
  int listening_ = -1;
  std::unique_ptr<BesideProgram> daemon_;
};

TEST_F(HandedSocketTest, DaemonKeepsTheSocketWhenStartingOver) {
  EXPECT_EQ(daemon_pid_by_socket(), daemon_->pid());
  const Finished rebuilt = query({"replay", "--rebuild"});
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.err << daemon_->output();
  EXPECT_EQ(daemon_pid_by_socket(), daemon_->pid());
  EXPECT_TRUE(fs::exists(socket())) << "the daemon must not remove an inherited socket";
}

TEST_F(HandedSocketTest, StartingOverAfterAnUpgradeRunsTheNewProgram) {
  EXPECT_EQ(daemon_pid_by_socket(), daemon_->pid());
  fs::copy_file(kLuziad, programs_ / "new");
  fs::rename(programs_ / "new", programs_ / "luziad");
  const Finished rebuilt = query({"replay", "--rebuild"});
  EXPECT_EQ(rebuilt.code, 0) << rebuilt.err << daemon_->output();
  EXPECT_EQ(daemon_pid_by_socket(), daemon_->pid());
  EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(daemon_->pid()) + "/exe"), programs_ / "luziad");
}

}  // namespace
}  // namespace luzia
