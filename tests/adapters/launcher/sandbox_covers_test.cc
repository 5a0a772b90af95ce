// What an agent in a sandbox may only read or not see stays so, whatever happens outside meanwhile; and what
// checks before it may write, and it may not.
#include <signal.h>

#include <sstream>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class CoveredAttempt : public AttemptTest {
 protected:
  CoveredAttempt() {
    fs::create_directories(work_dir() + "/.git/hooks");
    write_text(config(), "old\n");
    write_text(token(), "secret\n");
    write_text(path("new"), "new\n");
  }
  std::string config() const { return work_dir() + "/.git/config"; }
  std::string hooks() const { return work_dir() + "/.git/hooks"; }
  std::string token() const { return work_dir() + "/token"; }

  LaunchSpec held(const std::string& script, const std::vector<std::string>& more = {}) {
    LaunchSpec spec = shell(script);
    spec.sandbox_network = "none";
    spec.shown = {"r:/",           "t:/tmp",          "t:/run",
                  "x:" + path(""), "w:" + work_dir(), "w:" + work_dir() + "/.git",
                  "r:" + config(), "r:" + hooks(),    "x:" + token(),
                  "w:" + job_dir()};
    spec.shown.insert(spec.shown.end(), more.begin(), more.end());
    return spec;
  }
  Claim start_held(const LaunchSpec& spec) {
    Claim claim = start(spec);
    EXPECT_TRUE(wait_until([&] { return exists(work_dir() + "/ready"); }));
    return claim;
  }
  /// Whether something is mounted there for the agent.
  static bool is_covered(const Claim& claim, const std::string& path) {
    const std::string mounts = read_text("/proc/" + std::to_string(claim.agent.pid) + "/mountinfo");
    return mounts.find(" " + path + " ") != std::string::npos;
  }
};

// Moves are within .git, a mount of its own: out of it `mv` copies, whether the file is covered or not.
constexpr const char* kWaits = "echo > ready; while [ ! -e go ]; do sleep 0.05; done; ";

TEST_F(CoveredAttempt, WhatIsRenamedOverAFileIsCoveredToo) {
  const LaunchSpec spec =
      held(std::string(kWaits) +
           "cat .git/config token; echo evil >> .git/config; mv .git/config .git/x; mv token y; "
           "rm -f .git/config token");
  const Claim claim = start_held(spec);
  for (int i = 0; i < 20; ++i) {
    for (const std::string& file : {config(), token()}) {
      write_text(path("other"), file == token() ? "new secret\n" : "new\n");
      fs::rename(path("other"), file);
      EXPECT_TRUE(wait_until([&] { return is_covered(claim, file); })) << file << " " << i;
    }
  }
  write_text(work_dir() + "/go", "");
  end_of(spec);
  EXPECT_EQ(read_text(config()), "new\n");
  EXPECT_EQ(read_text(token()), "new secret\n");
  EXPECT_THAT(output(), HasSubstr("new\n"));
  EXPECT_THAT(output(), Not(HasSubstr("secret")));
}

TEST_F(CoveredAttempt, SoIsOneThatIsPutInThePlaceOfABackup) {
  const LaunchSpec spec = held(std::string(kWaits) + "echo evil >> .git/config; mv .git/config .git/x");
  const Claim claim = start_held(spec);
  fs::rename(config(), config() + "~");
  fs::rename(path("new"), config());
  EXPECT_TRUE(wait_until([&] { return is_covered(claim, config()); }));
  write_text(work_dir() + "/go", "");
  end_of(spec);
  EXPECT_EQ(read_text(config()), "new\n");
  EXPECT_EQ(read_text(config() + "~"), "old\n");
}

TEST_F(CoveredAttempt, SoIsAFolder) {
  const LaunchSpec spec =
      held(std::string(kWaits) + "ls .git/hooks; echo evil > .git/hooks/pre-commit; mv .git/hooks .git/x");
  const Claim claim = start_held(spec);
  fs::create_directory(path("folder"));
  write_text(path("folder/mine"), "");
  fs::rename(path("folder"), hooks());
  EXPECT_TRUE(wait_until([&] { return is_covered(claim, hooks()); }));
  write_text(work_dir() + "/go", "");
  end_of(spec);
  EXPECT_THAT(output(), HasSubstr("mine\n"));
  EXPECT_FALSE(exists(hooks() + "/pre-commit") || exists(work_dir() + "/.git/x"));
}

TEST_F(CoveredAttempt, SoIsAFolderThatIsPutInThePlaceOfABackup) {
  const LaunchSpec spec =
      held(std::string(kWaits) + "ls .git/hooks; echo evil > .git/hooks/pre-commit; mv .git/hooks .git/x");
  const Claim claim = start_held(spec);
  fs::create_directory(path("folder"));
  write_text(path("folder/mine"), "");
  fs::rename(hooks(), hooks() + "~");
  fs::rename(path("folder"), hooks());
  EXPECT_TRUE(wait_until([&] { return is_covered(claim, hooks()); }));
  write_text(work_dir() + "/go", "");
  end_of(spec);
  EXPECT_THAT(output(), HasSubstr("mine\n"));
  EXPECT_FALSE(exists(hooks() + "/pre-commit") || exists(work_dir() + "/.git/x"));
}

TEST_F(CoveredAttempt, ClosedFolderOpensToNoAgent) {
  const std::string closed = work_dir() + "/closed";
  fs::create_directory(closed);
  write_text(closed + "/file", "plain\n");
  write_text(closed + "/hidden", "secret\n");
  fs::permissions(closed, fs::perms::none);
  const auto end = run(held(
      "chmod 0700 closed; cat closed/file closed/hidden; echo evil >> closed/file; mv closed/file x; true",
      {"r:" + closed + "/file", "x:" + closed + "/hidden"}));
  EXPECT_EQ(end.start_error, "");
  EXPECT_THAT(output(), HasSubstr("plain\n"));
  EXPECT_THAT(output(), Not(HasSubstr("secret")));
  EXPECT_EQ(read_text(closed + "/file"), "plain\n");
}

TEST_F(CoveredAttempt, EndsWhenWhatItMayOnlyReadIsGone) {
  const LaunchSpec spec = held("echo > ready; sleep 1000");
  start_held(spec);
  fs::remove(config());
  EXPECT_EQ(end_of(spec).signal, SIGKILL);
  EXPECT_THAT(output(), HasSubstr("luzia: the sandbox ended the attempt: " + config() +
                                  ", which the agent may only read or not see, is gone: "));
}

TEST_F(CoveredAttempt, EndsWhenItsAgentMovesTheFolderAboveAway) {
  fs::create_directories(work_dir() + "/deep/below");
  write_text(work_dir() + "/deep/below/file", "plain\n");
  const auto end = run(
      held("mv deep other && mkdir -p deep/below && sleep 1000", {"r:" + work_dir() + "/deep/below/file"}));
  EXPECT_EQ(end.signal, SIGKILL) << output();
  EXPECT_EQ(read_text(work_dir() + "/other/below/file"), "plain\n");
}

TEST_F(CoveredAttempt, GoesOnWhenWhatItDoesNotSeeIsGone) {
  const LaunchSpec spec = held(std::string(kWaits) + "cat token");
  const Claim claim = start_held(spec);
  fs::remove(token());
  write_text(path("other"), "new secret\n");
  fs::rename(path("other"), token());
  EXPECT_TRUE(wait_until([&] { return is_covered(claim, token()); }));
  write_text(work_dir() + "/go", "");
  EXPECT_EQ(end_of(spec).signal, 0);
  EXPECT_THAT(output(), Not(HasSubstr("secret")));
}

TEST_F(CoveredAttempt, KeeperHasOnlyWhatMountingTakes) {
  const LaunchSpec spec = held(std::string(kWaits) + "cat /proc/1/environ /proc/1/maps; ls /proc/1/root/");
  const Claim claim = start_held(spec);
  const std::string runner = std::to_string(claim.runner.pid);
  std::istringstream children(read_text("/proc/" + runner + "/task/" + runner + "/children"));
  std::string status;
  for (std::uint32_t pid = 0; children >> pid;) {
    if (pid != claim.agent.pid) status = read_text("/proc/" + std::to_string(pid) + "/status");
  }
  constexpr const char* kDacReadSearchAndSysAdmin = "0000000000200004\n";
  for (const char* kind : {"CapPrm:\t", "CapEff:\t"})
    EXPECT_THAT(status, HasSubstr(std::string(kind) + kDacReadSearchAndSysAdmin));
  for (const char* kind : {"CapInh:\t", "CapBnd:\t", "CapAmb:\t"})
    EXPECT_THAT(status, HasSubstr(std::string(kind) + "0000000000000000\n"));
  write_text(work_dir() + "/go", "");
  EXPECT_NE(end_of(spec).exit_code, 0);
}

TEST_F(CoveredAttempt, EndsWhenItsAgentTakesTheKeepersDescriptors) {
  LaunchSpec spec = held("prlimit --pid 1 --nofile=0:0 && sleep 20");
  spec.shown = {"r:/",          "t:/tmp",        "t:/run", "x:" + path(""), "w:" + work_dir(),
                "x:" + token(), "w:" + job_dir()};
  EXPECT_EQ(run(spec).signal, SIGKILL) << output();
  EXPECT_THAT(output(), HasSubstr(token() + ", which the agent may only read or not see, cannot be covered"));
}

TEST_F(CoveredAttempt, WhatIsGuardedOnlyChecksBeforeTheAgentWrite) {
  LaunchSpec spec = held(
      "cat made; echo b >> made; echo b > new; echo b > .git/index; mv .git/hooks .git/x; "
      "chmod 0777 . .git; kill -0 $(cat pid) && echo alive; "
      "echo note > $S/jobs/j1/note; echo 'echo b >> made; echo b > .git/index' > /tmp/planted; true");
  spec.guarded = {work_dir(), work_dir() + "/.git"};
  spec.preflight = {"echo a > made; echo a > .git/made; sleep 1000 & echo $! > pid"};
  spec.verify = {"sh /tmp/planted; ! grep b made", "! touch proved && ! touch .git/proved",
                 "echo c > $S/jobs/j1/proved && echo c > /tmp/proved"};
  const auto mode = fs::status(work_dir()).permissions();
  const auto end = run(spec);
  EXPECT_EQ(end.verified, std::optional(true)) << end.start_error << end.check_error << output();
  EXPECT_THAT(output(), HasSubstr("a\n"));
  EXPECT_THAT(output(), Not(HasSubstr("alive"))) << "it could write for the agent";
  EXPECT_EQ(read_text(work_dir() + "/made"), "a\n");
  for (const char* name : {"/new", "/.git/x", "/.git/index"}) EXPECT_FALSE(exists(work_dir() + name)) << name;
  EXPECT_EQ(fs::status(work_dir()).permissions(), mode);
  EXPECT_EQ(read_text(job_dir() + "/note"), "note\n");
  EXPECT_EQ(read_text(job_dir() + "/proved"), "c\n");
}

TEST_F(CoveredAttempt, GuardedFolderMayBeMadeByACheck) {
  LaunchSpec spec = held("cat file; echo b > file; echo b > other; true");
  spec.preflight = {"mkdir $S/jobs/j1/tree && echo a > $S/jobs/j1/tree/file"};
  spec.guarded = {work_dir(), job_dir() + "/tree"};
  spec.argv.back() = "cd $S/jobs/j1/tree; " + spec.argv.back();
  EXPECT_EQ(run(spec).exit_code, 0) << output();
  EXPECT_EQ(read_text(job_dir() + "/tree/file"), "a\n");
  EXPECT_FALSE(exists(job_dir() + "/tree/other"));
}

TEST_F(CoveredAttempt, ReplacedFolderStaysGuarded) {
  LaunchSpec spec =
      held(std::string("echo > $S/jobs/j1/ready; while [ ! -e $S/jobs/j1/go ]; do sleep 0.05; ") +
           "done; echo b > sub/mine; echo b > " + work_dir() + "/sub/mine; true");
  fs::create_directory(work_dir() + "/sub");
  spec.shown.push_back("w:" + work_dir() + "/sub");
  spec.guarded = {work_dir(), work_dir() + "/sub"};
  const Claim claim = start(spec);
  EXPECT_TRUE(wait_until([&] { return exists(job_dir() + "/ready"); }));
  fs::create_directory(path("folder"));
  fs::rename(path("folder"), work_dir() + "/sub");
  EXPECT_TRUE(wait_until([&] { return is_covered(claim, work_dir() + "/sub"); }));
  write_text(job_dir() + "/go", "");
  end_of(spec);
  EXPECT_FALSE(exists(work_dir() + "/sub/mine"));
}

TEST_F(CoveredAttempt, WhatCannotBeGuardedKeepsItFromItsStart) {
  LaunchSpec spec = held("echo ran");
  spec.guarded = {work_dir(), work_dir() + "/none"};
  EXPECT_THAT(run(spec).start_error,
              HasSubstr("sandbox_unavailable: cannot keep " + work_dir() + "/none from changes: "));
  EXPECT_EQ(output().find("ran"), std::string::npos);
}

}  // namespace
}  // namespace luzia
