// Machines of a list that are away, silent or of another version: the others are shown all the same, and the
// last known rows stand in.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "tests/e2e/machines/ssh_hosts.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kTrouble = 5;

class AbsentMachinesTest : public SshHostsTest {
 protected:
  AbsentMachinesTest() {
    add_host("alpha");
    start_daemon();
  }

  static const Json& row_of(const Json& rows, const std::string& machine) {
    static const Json kNone;
    for (const Json& row : rows) {
      if (row.value("machine", "") == machine) return row;
    }
    return kNone;
  }
  double seconds_of_list(int code) const {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(here({"jobs", "--machines"}).code, code);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
};

TEST_F(AbsentMachinesTest, LastKnownRowsStandInUntilTheMachineIsBack) {
  const std::string far = dispatch_there("alpha", "sleep 1000"), near = dispatch("sleep 1000");
  ASSERT_EQ(here_json({"jobs", "--machines"})["jobs"].size(), 2u);
  cut_off("alpha");

  const Finished shown = here({"jobs", "--machines"});
  EXPECT_EQ(shown.code, kTrouble);
  EXPECT_THAT(shown.out, AllOf(HasSubstr(near), HasSubstr(far + "  alpha, "), HasSubstr(" ago")));
  EXPECT_THAT(shown.err,
              AllOf(HasSubstr("not all machines have answered: alpha ("), HasSubstr("its rows are from")));
  const Json list = here_json({"jobs", "--machines"}, kTrouble);
  EXPECT_FALSE(row_of(list["machines"], "alpha")["answered"].get<bool>());
  EXPECT_EQ(row_of(list["machines"], "alpha")["error"]["code"], "machine_unreachable");
  EXPECT_GT(row_of(list["jobs"], "alpha")["as_of_us"], 0);
  EXPECT_FALSE(row_of(list["jobs"], "local").contains("as_of"));
  const Json other = here_json({"jobs", "--machines", "--project", "work"}, kTrouble);
  EXPECT_TRUE(other["jobs"].empty()) << "what was asked for the first time has no known rows";

  reconnect("alpha");
  EXPECT_TRUE(row_of(here_json({"jobs", "--machines"})["machines"], "alpha")["answered"].get<bool>());
}

TEST_F(AbsentMachinesTest, KeptRowsAreTheUsersAlone) {
  dispatch_there("alpha", "echo a-word-of-the-task");
  ASSERT_EQ(here({"jobs", "--machines", "--all"}).code, 0);
  struct stat status {};
  ASSERT_EQ(::stat(cache().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(cache())) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 2u) << "rows, and which jobs are whose";
  cut_off("alpha");
  EXPECT_THAT(here({"jobs", "--machines", "--all"}).out, HasSubstr("a-word-of-the-task"));
  for (const auto& entry : fs::directory_iterator(cache()))
    write_text(entry.path(), "luzia rows 1 7\nrubbish");
  const Finished damaged = here({"jobs", "--machines", "--all"});
  EXPECT_EQ(damaged.code, kTrouble);
  EXPECT_THAT(damaged.err, HasSubstr("none of its rows are known"));
}

TEST_F(AbsentMachinesTest, SilentMachineIsWaitedForOnce) {
  const SilentServer silent;
  add_address("quiet", silent.port());
  const double first = seconds_of_list(kTrouble);
  EXPECT_GE(first, 1.7);
  EXPECT_LT(seconds_of_list(kTrouble), first) << "it did not answer a moment ago";
  const Json list = here_json({"jobs", "--machines"}, kTrouble);
  EXPECT_TRUE(row_of(list["machines"], "alpha")["answered"].get<bool>());
  const Json error = row_of(list["machines"], "quiet")["error"];
  EXPECT_TRUE(error["code"] == "machine_silent" || error["code"] == "daemon_silent") << error;
}

TEST_F(AbsentMachinesTest, SilentDaemonBehindALivingSshIsNamed) {
  const std::string far = dispatch_there("alpha", "sleep 1000");
  const pid_t daemon = Json::parse(there("alpha", {"daemon", "status", "--json"}).out)["pid"];
  ASSERT_EQ(::kill(daemon, SIGSTOP), 0);
  const Finished listed = here({"jobs", "--machines"});
  const Finished named = here({"--on", "alpha", "jobs", "--patience", "1s"});
  ::kill(daemon, SIGCONT);
  EXPECT_EQ(listed.code, kTrouble);
  for (const Finished& silent : {listed, named}) {
    EXPECT_THAT(silent.err,
                HasSubstr("waiting for the daemon of machine alpha: it does not answer, though ssh "
                          "reaches the machine"));
  }
  EXPECT_EQ(error_lines(named.err), 1u) << named.err;
}

TEST_F(AbsentMachinesTest, DaemonThatCannotStartSaysWhyInOneLine) {
  dispatch_there("alpha", "true");
  ASSERT_EQ(there("alpha", {"daemon", "stop"}).code, 0);
  const std::string log = path("alpha/store/log");
  fs::rename(log, log + "-away");
  const Finished named = here({"--on", "alpha", "jobs"});
  EXPECT_EQ(named.code, kTrouble);
  EXPECT_THAT(named.err, AllOf(HasSubstr("machine alpha: starting the daemon"), HasSubstr("luziad: ")));
  EXPECT_EQ(error_lines(named.err), 1u) << named.err;
  const Json list = here_json({"jobs", "--machines", "--patience", "20s"}, kTrouble);
  EXPECT_THAT(row_of(list["machines"], "alpha")["error"]["message"].get<std::string>(),
              HasSubstr("starting the daemon"));
}

TEST_F(AbsentMachinesTest, MachineWithoutItsStoreIsNamedAndGetsNone) {
  ASSERT_EQ(there("alpha", {"daemon", "stop"}).code, 0);
  fs::remove_all(path("alpha/store"));
  const std::string near = dispatch("sleep 1000");
  const Json list = here_json({"jobs", "--machines"}, kTrouble);
  EXPECT_EQ(row_of(list["machines"], "alpha")["error"]["code"], "no_store");
  EXPECT_EQ(row_of(list["jobs"], "local")["id"], near);
  EXPECT_THAT(here({"why", "1zzzzzzzzzzzz"}).err,
              HasSubstr("alpha (there is no store at " + path("alpha/store")));
  EXPECT_FALSE(fs::exists(path("alpha/store")));
  ASSERT_EQ(there("alpha", {"daemon", "start"}).code, 0);
  EXPECT_TRUE(row_of(here_json({"jobs", "--machines"})["machines"], "alpha")["answered"].get<bool>());
}

TEST_F(AbsentMachinesTest, MachineOfAnOlderVersionIsNamed) {
  fs::create_directories(path("older"));
  write_text(path("older/luzia"), "#!/bin/sh\necho \"luzia: 'proxy' is no command\" >&2\nexit 2\n");
  ::chmod(path("older/luzia").c_str(), 0755);
  add_host("old", path("older"));
  const Finished shown = here({"status", "--machines"});
  EXPECT_EQ(shown.code, kTrouble);
  EXPECT_THAT(shown.err, HasSubstr("old ("));
  const Json status = here_json({"status", "--machines"}, kTrouble);
  EXPECT_EQ(row_of(status["machines"], "old")["error"]["code"], "machine_too_old");
  EXPECT_TRUE(row_of(status["machines"], "alpha")["answered"].get<bool>());
}

TEST_F(AbsentMachinesTest, MachineThatTalksNonsenseCostsOnlyItsRows) {
  fs::create_directories(path("odd"));
  write_text(path("odd/luzia"), "#!/bin/sh\nexec yes 'no rows at all'\n");
  ::chmod(path("odd/luzia").c_str(), 0755);
  add_host("nonsense", path("odd"));
  const std::string far = dispatch_there("alpha", "sleep 1000");
  const Json list = here_json({"jobs", "--machines"}, kTrouble);
  EXPECT_FALSE(row_of(list["machines"], "nonsense")["answered"].get<bool>());
  EXPECT_EQ(row_of(list["jobs"], "alpha")["id"], far);
}

TEST_F(AbsentMachinesTest, UnknownJobNamesWhoWasNotAsked) {
  add_address("dead", free_port());
  const Finished unknown = here({"why", "1zzzzzzzzzzzz"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("nor on alpha"), HasSubstr("dead (")));
}

TEST_F(AbsentMachinesTest, NothingIsLeftBehindByASilentMachine) {
  const SilentServer silent;
  add_address("quiet", silent.port());
  seconds_of_list(kTrouble);
  EXPECT_TRUE(wait_until([&] {
    const auto left = own_processes();
    return std::ranges::none_of(left, [](pid_t pid) {
      return read_text("/proc/" + std::to_string(pid) + "/cmdline").find("ssh_config") != std::string::npos;
    });
  })) << "an ssh lives on";
}

}  // namespace
}  // namespace luzia
