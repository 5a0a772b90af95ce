// A daemon inherits little from the process that starts it. In each of these environments it completes a job,
// or says in one line why it does not start.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::AnyOf;

constexpr rlim_t kMib = 1 << 20;

/// As for any user but root: hard limits cannot be raised.
void give_up_raising() {
  ::prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0);
}

std::function<void()> limited(decltype(RLIMIT_CPU) resource, rlim_t soft, rlim_t hard = RLIM_INFINITY) {
  return [resource, soft, hard] {
    if (hard != RLIM_INFINITY) give_up_raising();
    const rlimit limit{soft, hard};
    if (::setrlimit(resource, &limit) != 0) ::_exit(99);
  };
}

void block_all_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

void ignore_all_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
}

void close_standard_files() {
  ::close_range(STDIN_FILENO, STDERR_FILENO, 0);
}

struct Surrounding {
  const char* name;
  std::function<void()> before_exec = {};
  Words environment = {};
  std::string job = "true";  // task
  std::string prints = {};   // its expected output
  std::string refusal = {};  // of the daemon; empty: it starts
};

class StartedUnderTest : public DaemonTest, public testing::WithParamInterface<Surrounding> {};

Words without(Words environment, const Words& replaced) {
  for (const std::string& entry : replaced) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(environment, [&](const std::string& there) { return there.starts_with(name); });
    if (entry.back() != '=') environment.push_back(entry);
  }
  return environment;
}

TEST_P(StartedUnderTest, CompletesAJobOrSaysWhyNot) {
  const Surrounding& around = GetParam();
  const std::string config = home() + "/.config/luzia/luzia.toml";
  BesideProgram daemon({kLuziad, "--store", store(), "--config", config},
                       without(environment(), around.environment), path("daemon.out"), around.before_exec);
  const std::string socket = store() + "/socket";
  ASSERT_TRUE(wait_until([&] { return ::access(socket.c_str(), F_OK) == 0 || !is_running(daemon.pid()); }));
  if (!around.refusal.empty()) {
    EXPECT_EQ(daemon.end(), 5) << daemon.output();
    EXPECT_EQ(error_lines(daemon.output()), 1u) << daemon.output();
    EXPECT_THAT(daemon.output(), AllOf(HasSubstr(around.refusal), HasSubstr("hint: ")));
    EXPECT_NE(::access((store() + "/log").c_str(), F_OK), 0) << "nothing was changed";
    return;
  }
  const Finished sent = luzia({"dispatch", "demo", around.job, "--wait"});
  EXPECT_EQ(sent.code, 0) << sent.err << read_text(store() + "/luziad.log");
  EXPECT_EQ(luzia({"logs", "@last"}).out, around.prints);
  expect_verified();
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.end(), 0) << daemon.output();
}

INSTANTIATE_TEST_SUITE_P(
    Each, StartedUnderTest,
    testing::Values(
        Surrounding{"SoftLimitOfTime", limited(RLIMIT_CPU, 2), {}, "ulimit -St", "2\n"},
        Surrounding{"SoftLimitOfFiles", limited(RLIMIT_FSIZE, 64 << 10), {}, "ulimit -Sf", "128\n"},
        Surrounding{"SoftLimitOfStacks", limited(RLIMIT_STACK, 64 << 10), {}, "ulimit -Ss", "64\n"},
        Surrounding{"HardLimitOfTime",
                    limited(RLIMIT_CPU, 2, 2),
                    {},
                    "",
                    "",
                    "CPU time of a daemon is limited to 2 s (ulimit -t)"},
        Surrounding{"HardLimitOfFiles",
                    limited(RLIMIT_FSIZE, kMib, kMib),
                    {},
                    "",
                    "",
                    "size of files of a daemon is limited to 1 MiB (ulimit -f)"},
        Surrounding{"BlockedSignals", block_all_signals}, Surrounding{"IgnoredSignals", ignore_all_signals},
        Surrounding{"ClosedStandardFiles", close_standard_files},
        Surrounding{"LowestPriority", [] { ::setpriority(PRIO_PROCESS, 0, 19); }},
        Surrounding{"OpenUmask", [] { ::umask(0); }, {}, "umask", "0022\n"},
        Surrounding{"ShutUmask", [] { ::umask(0777); }, {}, "umask", "0022\n"},
        Surrounding{"GarbageTimeZone", {}, {"TZ=:/nowhere/%s\x1b[31m"}},
        Surrounding{"GarbageLocale", {}, {"LANG=xx_YY.nothing", "LC_ALL=xx"}},
        Surrounding{"NoHome", {}, {"HOME="}}, Surrounding{"HomeThatIsNoFolder", {}, {"HOME=/dev/null/home"}},
        Surrounding{"RelativeHome", {}, {"HOME=home", "XDG_STATE_HOME=state"}},
        Surrounding{"NoScratchFolder", {}, {"TMPDIR=/nowhere"}},
        Surrounding{"HugeEnvironment", {}, {"HUGE=" + std::string(100'000, 'x')}}),
    [](const auto& info) { return std::string(info.param.name); });

// These sanitizers reserve terabytes of addresses before main.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
INSTANTIATE_TEST_SUITE_P(
    Memory, StartedUnderTest,
    testing::Values(Surrounding{"SoftLimit", limited(RLIMIT_AS, 512 * kMib), {}, "ulimit -Sv", "524288\n"},
                    Surrounding{"HardLimit",
                                limited(RLIMIT_AS, 512 * kMib, 512 * kMib),
                                {},
                                "",
                                "",
                                "address space of a daemon is limited to 512 MiB (ulimit -v)"}),
    [](const auto& info) { return std::string(info.param.name); });
#endif

using StartedByClientTest = DaemonTest;

TEST_F(StartedByClientTest, FoldersIgnoreAnOpenUmask) {
  const std::string above = path("state"), made = above + "/luzia/store";
  BesideProgram client({kLuzia, "daemon", "start", "--store", made}, environment(), path("out"),
                       [] { ::umask(0); });
  EXPECT_EQ(client.end(), 0) << client.output();
  for (const auto& [folder, mode] : {std::pair(above, 0755U), {above + "/luzia", 0755U}, {made, 0700U}}) {
    struct stat status {};
    ASSERT_EQ(::stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode) << folder;
  }
  EXPECT_EQ(luzia({"daemon", "stop", "--store", made}).code, 0);
}

TEST_F(StartedByClientTest, ParentFolderWritableByOthersIsRefused) {
  const std::string open = path("open"), below = open + "/luzia/store";
  ASSERT_EQ(luzia({"daemon", "start", "--store", below}).code, 0);
  ASSERT_EQ(luzia({"daemon", "stop", "--store", below}).code, 0);
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  const Finished refused = luzia({"daemon", "start", "--store", below});
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("others may write to it"), HasSubstr("chmod go-w " + open)));
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  EXPECT_THAT(luzia({"doctor", "--store", below}).out, HasSubstr("chmod go-w " + open));
  ASSERT_EQ(::chmod(open.c_str(), 0755), 0);
  EXPECT_EQ(luzia({"daemon", "start", "--store", below}).code, 0);
  EXPECT_EQ(luzia({"daemon", "stop", "--store", below}).code, 0);
}

TEST_F(StartedByClientTest, FatalShellLimitIsNamed) {
  BesideProgram client({kLuzia, "jobs"}, environment(), path("out"), limited(RLIMIT_CPU, 2, 2));
  EXPECT_EQ(client.end(), 5) << client.output();
  EXPECT_THAT(client.output(), HasSubstr("(ulimit -t)"));
  EXPECT_EQ(error_lines(client.output()), 1u) << client.output();
}

}  // namespace
}  // namespace luzia
