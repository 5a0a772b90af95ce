// notifications.log has a line for each end, whenever the daemon is killed.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::MatchesRegex;

class NotificationsTest : public DaemonTest {
 protected:
  std::string file() const { return home() + "/.local/state/luzia/jobs/notifications.log"; }
  Words lines() const { return lines_of(read_text(file())); }
  /// Waits for a line about the job, then returns its lines without the time.
  Words about(const std::string& id) const {
    const std::string agent = "Agent " + id + " finished ";
    EXPECT_TRUE(wait_until([&] { return read_text(file()).find(agent) != std::string::npos; })) << agent;
    Words found;
    for (const std::string& line : lines()) {
      if (line.find(agent) != std::string::npos)
        found.push_back(line.substr(line.find(agent) + agent.size()));
    }
    return found;
  }
  /// A luziad that dies at the failpoints in `at`.
  std::string failing_daemon(const std::string& at) const {
    std::string daemon = path("failing-luziad");
    write_text(daemon, "#!/bin/sh\nLUZIA_FAILPOINTS=" + at + " exec " + kLuziad + " \"$@\"\n");
    ::chmod(daemon.c_str(), 0755);
    return daemon;
  }
};

TEST_F(NotificationsTest, EachKindOfEndHasItsLine) {
  const std::string good = dispatch("true"), bad = dispatch("exit 3");
  const std::string killed = dispatch("kill -9 $$");
  const std::string held = dispatch("true", {"--after", dispatch("sleep 600")});
  EXPECT_EQ(luzia({"cancel", held}).code, 0);
  EXPECT_THAT(about(good), ElementsAre("(exit 0)"));
  EXPECT_THAT(about(bad), ElementsAre("(exit 3)"));
  EXPECT_THAT(about(killed), ElementsAre("(exit -9)"));
  EXPECT_THAT(about(held), ElementsAre("(cancelled_before_start)"));
  for (const std::string& line : lines()) {
    EXPECT_THAT(line,
                MatchesRegex("\\[[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\\] Agent [0-9a-z]+ finished \\(.+\\)"));
  }
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(NotificationsTest, EachAttemptEndingTheJobHasItsLine) {
  const std::string id = dispatch("exit 3");
  ended(id);
  ASSERT_EQ(luzia({"retry", id}).code, 0);
  EXPECT_TRUE(wait_until([&] { return about(id).size() == 2; }));
}

TEST_F(NotificationsTest, NextDaemonReportsMissedEnds) {
  const std::string id = dispatch("while [ ! -e go ]; do sleep 0.05; done; exit 7");
  ASSERT_TRUE(becomes(id, "running"));
  kill_daemon();
  write_text(project() + "/go", "");
  start_daemon();
  EXPECT_THAT(about(id), ElementsAre("(exit 7)"));
}

constexpr const char* kUntilTheyGo = "while [ ! -e go ]; do sleep 0.05; done; exit 5";

TEST_F(NotificationsTest, NextDaemonWritesAMissingLine) {
  const std::string daemon = failing_daemon("end.notify@2");  // the first pass is at the start
  ASSERT_EQ(luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + daemon}).code, 0);
  const Finished sent = luzia({"dispatch", "demo", kUntilTheyGo}, {}, {"LUZIA_DAEMON=" + daemon});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  write_text(project() + "/go", "");  // no client is running that would start another daemon
  ASSERT_TRUE(wait_until([this] { return daemon_pid() == 0; })) << "the daemon did not reach the failpoint";
  EXPECT_EQ(read_text(file()).find(id), std::string::npos);
  start_daemon();
  EXPECT_THAT(about(id), ElementsAre("(exit 5)"));
}

TEST_F(NotificationsTest, DaemonKilledAfterTheLineMayRepeatIt) {
  const std::string daemon = failing_daemon("end.notified@2");
  ASSERT_EQ(luzia({"daemon", "start"}, {}, {"LUZIA_DAEMON=" + daemon}).code, 0);
  const Finished sent = luzia({"dispatch", "demo", kUntilTheyGo}, {}, {"LUZIA_DAEMON=" + daemon});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string id = lines_of(sent.out).at(0);
  write_text(project() + "/go", "");  // no client is running that would start another daemon
  ASSERT_TRUE(wait_until([this] { return daemon_pid() == 0; })) << "the daemon did not reach the failpoint";
  EXPECT_THAT(about(id), ElementsAre("(exit 5)"));
  start_daemon();
  EXPECT_TRUE(wait_until([&] { return about(id).size() == 2; }));
  // Nothing is reported a third time.
  const std::string next = dispatch("true");
  about(next);
  EXPECT_THAT(about(id), ElementsAre("(exit 5)", "(exit 5)"));
}

TEST_F(NotificationsTest, RotatedFileStartsWithNewLines) {
  const std::string first = dispatch("true");
  about(first);
  ASSERT_EQ(::rename(file().c_str(), (file() + ".1").c_str()), 0);
  const std::string second = dispatch("exit 1");
  EXPECT_THAT(about(second), ElementsAre("(exit 1)"));
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(NotificationsTest, ForeignFileInItsPlaceDelaysTheLines) {
  const std::string first = dispatch("true");
  about(first);
  ASSERT_EQ(::unlink(file().c_str()), 0);
  ASSERT_EQ(::symlink("/dev/null", file().c_str()), 0);
  const std::string second = dispatch("exit 2");
  ended(second);
  ASSERT_TRUE(wait_until(
      [this] { return read_text(store() + "/luziad.log").find("notifications.log") != std::string::npos; }));
  ASSERT_EQ(::unlink(file().c_str()), 0);
  const std::string third = dispatch("exit 3");
  EXPECT_THAT(about(third), ElementsAre("(exit 3)"));
  EXPECT_THAT(about(second), ElementsAre("(exit 2)"));
}

TEST_F(NotificationsTest, LogFileHasALineForEachStatusUpdate) {
  configure("[logging]\nlog_file = \"" + path("status.log") + "\"\n");
  const std::string id = dispatch("printf '\\033]9;4;1;50\\007\\n::warning::odd\\n'; kill -9 $$");
  ended(id);
  const auto has = [this, &id](const std::string& words) {
    return wait_until(
        [&] { return read_text(path("status.log")).find("job " + id + ": " + words) != std::string::npos; });
  };
  EXPECT_TRUE(has("queued for demo"));
  EXPECT_TRUE(has("attempt 1 started"));
  EXPECT_TRUE(has("killed: ")) << read_text(path("status.log"));
  EXPECT_THAT(read_text(path("status.log")), testing::HasSubstr("odd"));
  EXPECT_THAT(read_text(path("status.log")), testing::HasSubstr(" serves " + store()))
      << "the daemon's own lines";
  EXPECT_TRUE(wait_until([&] { return read_text(job_dir(id) + "/output.log").ends_with("\nexit:-9\n"); }));
  EXPECT_TRUE(wait_until([&] {
    const Json meta = Json::parse(read_text(job_dir(id) + "/meta.json"), nullptr, false);
    return meta.is_object() && meta["status"] == "killed";
  }));
}

}  // namespace
}  // namespace luzia
