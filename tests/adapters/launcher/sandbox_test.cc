// Attempts in a sandbox: what they see, and that luzia-run sees them as without.
#include <signal.h>
#include <unistd.h>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class SandboxedAttempt : public AttemptTest {
 protected:
  /// Sees everything read only, but for the scratch folder, of which it sees its job and its work.
  LaunchSpec confined(const std::string& script, const std::vector<std::string>& more = {}) {
    LaunchSpec spec = shell(script);
    spec.sandbox_network = "none";
    spec.shown = {"r:/", "t:/tmp", "t:/run", "x:" + path(""), "w:" + work_dir(), "w:" + job_dir()};
    spec.shown.insert(spec.shown.end(), more.begin(), more.end());
    return spec;
  }
};

TEST_F(SandboxedAttempt, SeesOnlyWhatIsShown) {
  fs::create_directories(path("data/secret"));
  write_text(path("data/secret/key"), "key\n");
  write_text(path("data/public"), "public\n");
  const auto end =
      run(confined("cat $S/data/public; ls $S/data; ls $S; echo x > $S/data/public; echo y > mine",
                   {"r:" + path("data"), "x:" + path("data/secret")}));
  EXPECT_EQ(end.start_error, "");
  EXPECT_THAT(output(), HasSubstr("public\n"));
  EXPECT_THAT(output(), Not(HasSubstr("secret")));
  EXPECT_EQ(read_text(path("data/public")), "public\n");
  EXPECT_EQ(read_text(work_dir() + "/mine"), "y\n");
}

TEST_F(SandboxedAttempt, HiddenBelowAWritableFolderIsCovered) {
  fs::create_directories(work_dir() + "/hidden/but");
  write_text(work_dir() + "/hidden/key-of-it", "key\n");
  write_text(work_dir() + "/hidden/but/this", "this\n");
  write_text(work_dir() + "/token", "of the token\n");
  const auto end = run(confined(
      "ls -R .; cat token; echo x > hidden/new; cat hidden/but/this",
      {"x:" + work_dir() + "/hidden", "r:" + work_dir() + "/hidden/but", "x:" + work_dir() + "/token"}));
  EXPECT_EQ(end.exit_code, 0) << output();
  EXPECT_THAT(output(), HasSubstr("this\n"));
  EXPECT_THAT(output(), Not(HasSubstr("key-of-it")));
  EXPECT_THAT(output(), Not(HasSubstr("of the token")));
  EXPECT_FALSE(exists(work_dir() + "/hidden/new"));
  EXPECT_EQ(read_text(work_dir() + "/token"), "of the token\n");
}

TEST_F(SandboxedAttempt, LinksAreFollowedToWhatIsShown) {
  fs::create_directories(path("real/state"));
  write_text(path("real/state/file"), "state\n");
  fs::create_directory_symlink("real", path("link"));
  run(confined("cat $S/link/state/file", {"w:" + path("link/state")}));
  EXPECT_THAT(output(), HasSubstr("state\n"));
}

TEST_F(SandboxedAttempt, LinkOfAnEarlierAgentUncoversNothing) {
  fs::create_directories(path("home/.ssh"));
  write_text(path("home/.ssh/id"), "private\n");
  fs::create_symlink(path("home/.ssh/id"), work_dir() + "/config");
  fs::create_directory_symlink(path("home/.ssh"), work_dir() + "/hooks");
  fs::create_directory_symlink(path("home/.ssh"), path("home/shared"));
  run(confined("cat config hooks/id $S/home/.ssh/id $S/home/shared/id; ls -a $S/home",
               {"r:" + path("home"), "x:" + path("home/.ssh"), "r:" + work_dir() + "/config",
                "w:" + work_dir() + "/hooks", "r:" + path("home/shared")}));
  EXPECT_THAT(output(), Not(HasSubstr("private")));
  EXPECT_THAT(output(), HasSubstr("shared"));
}

TEST_F(SandboxedAttempt, PathNamedInsideAHiddenFolderIsShown) {
  fs::create_directories(path("real/jobs/j2"));
  write_text(path("real/jobs/j2/file"), "mine\n");
  write_text(path("real/jobs/other"), "theirs\n");
  fs::create_directory_symlink("real", path("link"));
  run(confined("cat $S/link/jobs/j2/file; ls $S/real/jobs",
               {"x:" + path("link/jobs"), "w:" + path("link/jobs/j2")}));
  EXPECT_THAT(output(), HasSubstr("mine\n"));
  EXPECT_THAT(output(), Not(HasSubstr("other")));
}

TEST_F(SandboxedAttempt, HiddenPathStaysAbsentWhenItIsMade) {
  fs::create_directories(path("home/.config"));
  const LaunchSpec spec = confined(
      "echo > ready; while [ ! -e go ]; do sleep 0.05; done; cat $S/home/.ssh/id $S/home/.config/gh/token; "
      "ls -a $S/home",
      {"r:" + path("home"), "x:" + path("home/.ssh"), "x:" + path("home/.config/gh")});
  start(spec);
  ASSERT_TRUE(wait_until([&] { return exists(work_dir() + "/ready"); }));
  for (const char* folder : {"home/.ssh", "home/.config/gh"}) fs::create_directories(path(folder));
  write_text(path("home/.ssh/id"), "private\n");
  write_text(path("home/.config/gh/token"), "private\n");
  write_text(work_dir() + "/go", "");
  end_of(spec);
  EXPECT_THAT(output(), Not(HasSubstr("private")));
  EXPECT_THAT(output(), HasSubstr(".config"));
}

TEST_F(SandboxedAttempt, CoveredFolderIsEmptyBelowOneThatIsShown) {
  fs::create_directories(path("etc/luzia"));
  write_text(path("etc/luzia/token"), "private\n");
  const auto end = run(confined("cat $S/etc/luzia/token; ls $S/etc; echo x > $S/etc/luzia/new",
                                {"r:" + path("etc"), "c:" + path("etc/luzia"), "c:" + path("etc/none")}));
  EXPECT_NE(end.exit_code, 0);
  EXPECT_THAT(output(), Not(HasSubstr("private")));
  EXPECT_THAT(output(), HasSubstr("luzia"));
  EXPECT_FALSE(exists(path("etc/luzia/new")));
}

TEST_F(SandboxedAttempt, AdditionsToAPrivateFolderAreGoneAfterwards) {
  fs::create_directories(path("home/.config"));
  write_text(path("home/state"), "old\n");
  write_text(path("home/plain"), "plain\n");
  const auto end =
      run(confined("cd $S/home && mkdir state.lock && echo new > state && echo x > added && cat added plain "
                   "&& ! (echo y > plain) && ! mv added state && echo z > .config/here",
                   {"p:" + path("home"), "x:" + path("home/.config/gh"), "w:" + path("home/state")}));
  EXPECT_EQ(end.exit_code, 0) << output();
  EXPECT_EQ(read_text(path("home/state")), "new\n");
  EXPECT_EQ(read_text(path("home/plain")), "plain\n");
  for (const char* name : {"home/added", "home/state.lock", "home/.config/here"})
    EXPECT_FALSE(exists(path(name)));
}

TEST_F(SandboxedAttempt, MissingPathsAreNoError) {
  const auto end = run(confined("true", {"w:" + path("nowhere/at/all"), "x:" + path("nor/here")}));
  EXPECT_EQ(end.exit_code, 0) << end.start_error;
}

TEST_F(SandboxedAttempt, SignalsAndLeftoversAreCountedAsWithout) {
  const auto killed = run(confined("kill -9 $$"));
  EXPECT_EQ(killed.signal, SIGKILL);
  LaunchSpec left = confined("(setsid sleep 1000 &) ; (setsid sleep 1000 &) ; sleep 0.1");
  left.attempt = 2;
  const auto end = run(left);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.leftovers_killed, 2u);
}

TEST_F(SandboxedAttempt, StopWaitsForDescendants) {
  const LaunchSpec spec = confined(
      "trap 'exit 3' TERM; (trap '' TERM; echo > ready; sleep 0.3; echo late > saved) & while :; do sleep "
      "0.05; done");
  const Claim claim = start(spec);
  ASSERT_TRUE(wait_until([&] { return exists(work_dir() + "/ready"); }));
  EXPECT_TRUE(stop_attempt(claim, StopForce::polite));
  EXPECT_EQ(end_of(spec).exit_code, 3);
  EXPECT_EQ(read_text(work_dir() + "/saved"), "late\n");
}

TEST_F(SandboxedAttempt, ForcedStopEndsIt) {
  const LaunchSpec spec = confined("trap '' TERM; echo > ready; (setsid sleep 1000 &); sleep 1000");
  const Claim claim = start(spec);
  ASSERT_TRUE(wait_until([&] { return exists(work_dir() + "/ready"); }));
  EXPECT_TRUE(stop_attempt(claim, StopForce::forced));
  EXPECT_EQ(end_of(spec).signal, SIGKILL);
}

TEST_F(SandboxedAttempt, EverythingEndsWithLuziaRun) {
  const LaunchSpec spec = confined("echo > ready; (setsid sleep 1000 &); sleep 1000");
  const Claim claim = start(spec);
  ASSERT_TRUE(wait_until([&] { return exists(work_dir() + "/ready"); }));
  ASSERT_EQ(::kill(static_cast<pid_t>(claim.runner.pid), SIGKILL), 0);
  EXPECT_TRUE(wait_until([&] { return !is_alive(claim.agent); }));
}

TEST_F(SandboxedAttempt, ClaimNamesTheAgentAsOthersNumberIt) {
  const LaunchSpec spec = confined("echo $$ > inside; sleep 1000");
  const Claim claim = start(spec);
  EXPECT_TRUE(is_alive(claim.agent));
  ASSERT_TRUE(wait_until([&] { return !read_text(work_dir() + "/inside").empty(); }));
  EXPECT_NE(read_text(work_dir() + "/inside"), std::to_string(claim.agent.pid) + "\n");
  EXPECT_EQ(claim_of(spec).agent.pid, claim.agent.pid);
  EXPECT_TRUE(stop_attempt(claim, StopForce::forced));
  end_of(spec);
}

TEST_F(SandboxedAttempt, ChecksRunInTheSameSandbox) {
  LaunchSpec spec = confined("echo work > result; (setsid sleep 1000 &)");
  spec.preflight = {"sleep 1000 & echo $! > pid", "kill -0 $(cat pid)"};
  spec.verify = {"grep work result", "! ls " + run_dir()};
  const auto end = run(spec);
  EXPECT_EQ(end.verified, std::optional(true)) << end.start_error << end.check_error;
}

TEST_F(SandboxedAttempt, LaterDaemonReadsItsSecretsAndTheKernelTakesItFirst) {
  LaunchSpec spec =
      confined("cat /proc/self/oom_score_adj; echo > ready; while [ ! -e go ]; do sleep 0.02; done");
  spec.secrets = {"TOKEN=value"};
  const std::string own = read_text("/proc/self/oom_score_adj");
  const Claim claim = start(spec);
  ASSERT_TRUE(wait_until([&] { return exists(work_dir() + "/ready"); }));
  EXPECT_EQ(secrets_held_by(claim.runner), spec.secrets);
  EXPECT_EQ(read_text("/proc/" + std::to_string(claim.runner.pid) + "/oom_score_adj"), own);
  write_text(work_dir() + "/go", "");
  end_of(spec);
  EXPECT_GE(std::stoi(output()), 500);
}

TEST_F(SandboxedAttempt, PrivateFoldersShareTheirRoom) {
  LaunchSpec spec = confined(
      "head -c 1500000 /dev/zero > /tmp/a && ! head -c 1500000 /dev/zero > /run/b && rm /tmp/a && "
      "head -c 500000 /dev/zero >> /dev/shm/c");
  spec.private_bytes = 2 << 20;
  EXPECT_EQ(run(spec).exit_code, 0) << output();
}

TEST_F(SandboxedAttempt, ProgramThatIsNotShownIsReported) {
  LaunchSpec spec = confined("true");
  spec.shown = {"r:/bin", "r:/lib", "r:/lib64", "w:" + work_dir(), "w:" + job_dir()};
  spec.argv = {"/opt/nowhere"};
  EXPECT_THAT(run(spec).start_error, HasSubstr("cannot run '/opt/nowhere'"));
}

}  // namespace
}  // namespace luzia
