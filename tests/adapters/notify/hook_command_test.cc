// Hook commands, with real processes.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "adapters/notify/delivery.h"
#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/text_files.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class HookCommandTest : public ScratchTest {
 protected:
  HookCommandTest() {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);  // as luziad does
  }
  ~HookCommandTest() override { ::signal(SIGCHLD, SIG_DFL); }

  std::string read(const std::string& name) const { return whole_text(path(name)); }
  bool exists(const std::string& name) const { return ::access(path(name).c_str(), F_OK) == 0; }
  HookCommand shell(const std::string& script, std::uint64_t timeout_ms = 60'000) const {
    HookCommand hook;
    hook.runner = build_path("tools/luzia-run/luzia-run");
    hook.command = {"sh", "-c", script};
    hook.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "DIR=" + scratch_};
    hook.timeout_ms = timeout_ms;
    return hook;
  }
  Delivery run(const HookCommand& hook, const std::string& json = "{}") const {
    Notice notice;
    notice.json = json;
    notice.variables = {"LUZIA_EVENT=job_failed"};
    return run_hook_command(hook, notice, stop_.get_token());
  }

  std::stop_source stop_;
};

TEST_F(HookCommandTest, GetsOnlyTheEventAndItsVariables) {
  const Delivery told = run(shell("cat > $DIR/in; env > $DIR/env; pwd > $DIR/pwd"), "{\"position\":7}");
  EXPECT_TRUE(told.result.delivered) << told.result.detail;
  EXPECT_EQ(read("in"), "{\"position\":7}\n");
  EXPECT_THAT(read("env"), HasSubstr("LUZIA_EVENT=job_failed\n"));
  EXPECT_EQ(read("pwd"), "/\n");
  ::setenv("DAEMON_SECRET", "s3cret", 1);
  run(shell("env > $DIR/env"));
  ::unsetenv("DAEMON_SECRET");
  EXPECT_THAT(read("env"), testing::Not(HasSubstr("s3cret")));
}

TEST_F(HookCommandTest, InheritsNoDescriptor) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(leaked, 3);
  EXPECT_TRUE(run(shell("ls -1 /proc/self/fd > $DIR/fds")).result.delivered);
  ::close(leaked);
  EXPECT_EQ(read("fds"), "0\n1\n2\n3\n") << "3 is the folder that ls itself opened";
}

TEST_F(HookCommandTest, FailureReportsCodeAndLastOutput) {
  const Delivery told = run(shell("echo no printer >&2; exit 3"));
  EXPECT_FALSE(told.result.delivered);
  EXPECT_FALSE(told.result.final) << "the next try may succeed";
  EXPECT_THAT(told.result.detail, HasSubstr("exit code 3: no printer"));
  EXPECT_EQ(run(shell("kill -9 $$")).result.detail, "signal 9");
}

TEST_F(HookCommandTest, MissingProgramIsAFailureWithItsName) {
  HookCommand hook = shell("");
  hook.command = {"/no/such/program"};
  EXPECT_THAT(run(hook).result.detail, HasSubstr("/no/such/program"));
  EXPECT_THAT(run(hook).result.detail, HasSubstr("fix command of its [[hooks]]"));
  hook.runner = "/no/such/luzia-run";
  EXPECT_THAT(run(hook).result.detail, HasSubstr("/no/such/luzia-run"));
}

TEST_F(HookCommandTest, HangingCommandIsKilledWithItsChildren) {
  const Delivery told =
      run(shell("setsid sh -c 'echo $$ > $DIR/away; while :; do sleep 0.05; done' & echo $$ > $DIR/pid; "
                "trap '' TERM; while :; do sleep 0.05; done",
                4'000));
  EXPECT_FALSE(told.result.delivered);
  EXPECT_THAT(told.result.detail, HasSubstr("killed: not done within 4"));
  for (const char* name : {"pid", "away"}) {
    const pid_t pid = std::stoi(read(name));
    EXPECT_TRUE(wait_until([&] { return ::kill(pid, 0) != 0; })) << name;
  }
}

TEST_F(HookCommandTest, LeftoverChildrenAreKilled) {
  EXPECT_TRUE(run(shell("sleep 1000 & echo $! > $DIR/pid")).result.delivered);
  const pid_t left = std::stoi(read("pid"));
  EXPECT_TRUE(wait_until([&] { return ::kill(left, 0) != 0; }));
}

TEST_F(HookCommandTest, CommandWithoutReadingMayPrintALot) {
  const std::string event(300'000, 'x');
  const Delivery told = run(shell("yes | head -c 1000000; exit 0"), event);
  EXPECT_TRUE(told.result.delivered) << told.result.detail;
  EXPECT_LE(told.output.size(), 5'000u);
  const Delivery all = run(shell("wc -c > $DIR/size"), event);
  EXPECT_TRUE(all.result.delivered);
  EXPECT_EQ(std::stoi(read("size")), 300'001);
}

TEST_F(HookCommandTest, StopInterruptsIt) {
  std::jthread stopper([this] {
    wait_until([this] { return exists("began"); });
    stop_.request_stop();
  });
  const Delivery told = run(shell("echo $$ > $DIR/pid; : > $DIR/began; while :; do sleep 0.05; done"));
  EXPECT_FALSE(told.result.delivered);
  EXPECT_THAT(told.result.detail, HasSubstr("broken off"));
  const pid_t pid = std::stoi(read("pid"));
  EXPECT_TRUE(wait_until([&] { return ::kill(pid, 0) != 0; }));
}

TEST_F(HookCommandTest, OutputIsKeptUpToTheGivenSize) {
  HookCommand hook = shell("head -c 100000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(run_command(hook, {}, stop_.get_token()).output.size(), 4096u);
  hook.most_output = 50'000;
  EXPECT_EQ(run_command(hook, {}, stop_.get_token()).output, std::string(50'000, 'x'));
  hook.most_output = 200'000;
  EXPECT_EQ(run_command(hook, {}, stop_.get_token()).output, std::string(100'000, 'x'));
}

TEST_F(HookCommandTest, ErrorsAreLeftOutOnDemand) {
  HookCommand hook = shell("echo warning >&2; echo value; echo more >&2");
  EXPECT_THAT(run_command(hook, {}, stop_.get_token()).output, HasSubstr("warning"));
  hook.drops_errors = true;
  EXPECT_EQ(run_command(hook, {}, stop_.get_token()).output, "value\n");
}

TEST_F(HookCommandTest, RunsAsTheGivenUserWithItsGroups) {
  HookCommand hook = shell("echo $(id -u) $(id -g) $(id -G)");
  if (::geteuid() != 0) {
    hook.user = std::to_string(::geteuid() + 1) + ":" + std::to_string(::getegid()) + ":";
    EXPECT_NE(run_command(hook, {}, stop_.get_token()).end, "") << "only root may";
    return;
  }
  hook.user = "12345:23456:34567,34568,";
  CommandRun run = run_command(hook, {}, stop_.get_token());
  EXPECT_EQ(run.output, "12345 23456 23456 34567 34568\n");
  EXPECT_EQ(run.exit_code, 0);
  hook.user = "12345:23456:";
  run = run_command(hook, {}, stop_.get_token());
  EXPECT_EQ(run.output, "12345 23456 23456\n") << "none of our groups";
  hook.user = "12345";
  EXPECT_NE(run_command(hook, {}, stop_.get_token()).exit_code, 0) << "no group";
}

}  // namespace
}  // namespace luzia
