// The start of a daemon: whoever waits for it hears at once, and what it answers first is right.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>

#include "adapters/socket/client.h"
#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// A daemon that was given a pipe to close when it listens.
class AwaitedDaemon {
 public:
  AwaitedDaemon(const std::string& store, Words environment, const std::string& out) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    heard_.reset(ends[0]);
    const Descriptor told(ends[1]);
    environment.push_back(std::string(kReadyDescriptor) + "=3");
    daemon_.emplace(Words{kLuziad, "--store", store}, environment, out, std::function<void()>(), told.get());
  }
  BesideProgram& daemon() { return *daemon_; }
  /// Whether it closed the pipe within `ms`.
  bool spoke(int ms) const {
    pollfd waiting{heard_.get(), POLLIN, 0};
    return ::poll(&waiting, 1, ms) == 1;
  }

 private:
  Descriptor heard_;
  std::optional<BesideProgram> daemon_;
};

constexpr int kLongMs = 60'000;

class StartTest : public DaemonTest {
 protected:
  std::string socket() const { return store() + "/socket"; }
  /// What the files in the folder are: name and size.
  std::map<std::string, std::uintmax_t> files_of(const std::string& folder) const {
    std::map<std::string, std::uintmax_t> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      files[entry.path().filename()] = entry.is_regular_file() ? entry.file_size() : 0;
    }
    return files;
  }
};

TEST_F(StartTest, DaemonSaysWhenItListens) {
  AwaitedDaemon awaited(store(), environment(), path("luziad.out"));
  ASSERT_TRUE(awaited.spoke(kLongMs)) << awaited.daemon().output();
  auto client = Client::connect(socket());
  ASSERT_TRUE(client.has_value()) << client.error().message;
  wire::RequestUnion ping;
  ping.Set(wire::ControlT{});
  EXPECT_TRUE(client->ask(ping).has_value());
}

TEST_F(StartTest, DaemonThatCannotStartSaysSoToo) {
  write_text(path("file"), "no store");
  AwaitedDaemon awaited(path("file"), environment(), path("luziad.out"));
  EXPECT_TRUE(awaited.spoke(kLongMs));
  EXPECT_NE(awaited.daemon().end(), 0);
}

TEST_F(StartTest, ReadyDescriptorMustBeAPipe) {
  Words wrong = environment();
  wrong.push_back(std::string(kReadyDescriptor) + "=1");
  BesideProgram daemon({kLuziad, "--store", store()}, wrong, path("luziad.out"));
  ASSERT_TRUE(wait_until([&] { return Client::connect(socket()).has_value(); }));
  EXPECT_TRUE(is_running(daemon.pid()));
}

TEST_F(StartTest, FirstRequestIsAnsweredFromWhatWasThere) {
  const std::string earlier = dispatch("echo '::error file=a.cc,line=3::broken'; exit 3");
  ended(earlier);
  for (int i = 0; i < 5; ++i) {
    i % 2 == 0 ? stop_daemon() : kill_daemon();
    EXPECT_EQ(job(earlier).value("state", ""), "failed");
    i % 2 == 0 ? stop_daemon() : kill_daemon();
    EXPECT_EQ(ended(dispatch("true"))["state"], "completed");
  }
  expect_verified();
}

TEST_F(StartTest, FirstOutputIsSearchedForKnownIssues) {
  dispatch("true");
  stop_daemon();
  const std::string id = dispatch("echo \"ModuleNotFoundError: No module named 'yaml'\"; exit 1");
  ended(id);
  EXPECT_EQ(count(id, "IssueDetected"), 1u);
}

TEST_F(StartTest, ClientsAtTheSameMomentShareOneDaemon) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<BesideProgram>> clients;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(std::make_unique<BesideProgram>(Words{kLuzia, "demo", "true"}, environment(),
                                                        path("out" + std::to_string(i))));
    }
    for (const auto& client : clients) EXPECT_EQ(client->end(), 0) << client->output();
    EXPECT_NE(daemon_pid(), 0);
    EXPECT_EQ(luzia_json({"jobs", "--all"})["jobs"].size(), 4u * static_cast<unsigned>(round + 1));
    stop_daemon();
  }
}

TEST_F(StartTest, StopDuringTheStartLosesNothing) {
  const std::string earlier = dispatch("true");
  ended(earlier);
  stop_daemon();
  for (const int ms : {0, 2, 5, 10, 15, 20, 30}) {
    AwaitedDaemon awaited(store(), environment(), path("luziad.out"));
    (void)awaited.spoke(ms);
    awaited.daemon().signal(SIGTERM);
    const int code = awaited.daemon().end();
    EXPECT_TRUE(code == 0 || code == 128 + SIGTERM) << code << awaited.daemon().output();
  }
  EXPECT_EQ(job(earlier).value("state", ""), "completed");
  expect_verified();
}

TEST_F(StartTest, StopBeforePatternsAreReadDoesNotWaitForThem) {
  const std::string id = dispatch_until("running", "while :; do echo error: line; sleep 0.01; done");
  kill_daemon();
  for (int i = 0; i < 3; ++i) {
    AwaitedDaemon awaited(store(), environment(), path("luziad.out"));
    ASSERT_TRUE(awaited.spoke(kLongMs));
    awaited.daemon().signal(SIGTERM);
    EXPECT_EQ(awaited.daemon().end(), 0) << awaited.daemon().output();
  }
  EXPECT_EQ(state(id), "running");
  luzia({"cancel", id});
  ended(id);
  expect_verified();
}

TEST_F(StartTest, SlowStartIsWaitedFor) {
  const std::string slow = path("slow-luziad");
  write_text(slow, "#!/bin/sh\nsleep 1\nexec " + kLuziad + " \"$@\"\n");
  ::chmod(slow.c_str(), 0755);
  const Finished first = luzia({"demo", "true"}, {}, {"LUZIA_DAEMON=" + slow});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(lines_of(first.out).size(), 1u);
}

TEST_F(StartTest, RefusedLogLeavesTheRowsAlone) {
  ended(dispatch("true"));
  stop_daemon();
  ASSERT_TRUE(fs::remove(store() + "/watermark"));
  const auto before = files_of(store() + "/views");
  const Finished refused = luzia({"daemon", "start"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, testing::HasSubstr("watermark"));
  EXPECT_EQ(files_of(store() + "/views"), before);
}

}  // namespace
}  // namespace luzia
