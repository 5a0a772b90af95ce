// Prepares the job directory for an attempt, even if its owner set traps there.
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/job_dir/job_dir.h"
#include "engine/base/shell_quote.h"
#include "tests/adapters/job_dir/scratch.h"

namespace luzia {
namespace {

class PrepareJobDir : public ScratchTest {
 protected:
  JobDirSpec spec(std::uint32_t attempt = 1) {
    JobDirSpec spec;
    spec.path = path("jobs/j1");
    spec.attempt = attempt;
    spec.uid = ::geteuid();
    spec.gid = ::getegid();
    spec.prompt = "do it\n";
    spec.argv = {"/bin/sh", "-c", "echo $GREETING; pwd; cat"};
    spec.env = {"PATH=/usr/bin:/bin", "GREETING=it's \"me\"\n$HOME `id` \\"};
    spec.working_dir = path("it's work");
    fs::create_directories(spec.working_dir);
    spec.moved_mark = path("moved-" + std::to_string(attempt));
    return spec;
  }
  void prepare(const JobDirSpec& spec) {
    const auto done = prepare_job_dir(spec);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string code_of(const JobDirSpec& spec) {
    const auto done = prepare_job_dir(spec);
    return done ? "" : done.error().code;
  }
  std::string in_dir(const std::string& name) { return path("jobs/j1/" + name); }
  mode_t mode_of(const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::lstat(name.c_str(), &status), 0) << name;
    return status.st_mode & 07777;
  }
};

TEST_F(PrepareJobDir, NewDirectoryHasPromptScriptAndEmptyOutput) {
  prepare(spec());
  EXPECT_THAT(names(path("jobs/j1")), ElementsAre("claim", "output.log", "prompt.txt", "run.sh"));
  EXPECT_EQ(read_text(in_dir("prompt.txt")), "do it\n");
  EXPECT_EQ(read_text(in_dir("output.log")), "");
}

TEST_F(PrepareJobDir, AttemptFolderIsCreatedUnlessSomethingExists) {
  JobDirSpec first = spec();
  first.folder = "worktree";
  prepare(first);
  EXPECT_EQ(mode_of(in_dir("worktree")), 0700u);
  std::ofstream(in_dir("worktree/work")) << "x";
  JobDirSpec second = spec(2);
  second.folder = "worktree";
  prepare(second);
  EXPECT_EQ(read_text(in_dir("worktree/work")), "x") << "it is not an attempt's file";
  fs::remove_all(in_dir("worktree"));
  fs::create_symlink("elsewhere", in_dir("worktree"));
  prepare(second);
  EXPECT_TRUE(fs::is_symlink(in_dir("worktree")));
}

TEST_F(PrepareJobDir, OthersHaveNoAccess) {
  const mode_t before = ::umask(0);
  prepare(spec());
  ::umask(before);
  EXPECT_EQ(mode_of(path("jobs/j1")), 0700u);
  EXPECT_EQ(mode_of(in_dir("prompt.txt")), 0600u);
  EXPECT_EQ(mode_of(in_dir("run.sh")), 0700u);
  EXPECT_EQ(mode_of(in_dir("output.log")), 0600u);
}

TEST_F(PrepareJobDir, JobsFolderAllowsTraversalOnly) {
  JobDirSpec spec = this->spec();
  spec.path = path("deep/er/jobs/j1");
  const mode_t before = ::umask(077);
  prepare(spec);
  ::umask(before);
  EXPECT_EQ(mode_of(path("deep/er/jobs")), 0711u);
  EXPECT_EQ(mode_of(path("deep/er")), 0755u);
  EXPECT_TRUE(fs::exists(spec.path + "/run.sh"));
}

TEST_F(PrepareJobDir, RunScriptRepeatsTheAttempt) {
  prepare(spec());
  EXPECT_EQ(shell_output("cd / && GREETING=other SECRET=1 " + shell_quote(in_dir("run.sh"))),
            "it's \"me\" $HOME `id` \\\n" + fs::canonical(spec().working_dir).string() + "\ndo it\n");
  EXPECT_THAT(read_text(in_dir("run.sh")), HasSubstr("exec env -i "));
}

TEST_F(PrepareJobDir, RunScriptHasExactlyTheEnvironment) {
  JobDirSpec spec = this->spec();
  spec.argv = {"/usr/bin/env", "-0"};
  spec.env = {"B=2", "A=", "-x=dash", "N=a\nb", "UNICODE=\xc3\xa4", "Q='"};
  prepare(spec);
  std::string expected;
  for (const std::string& entry : spec.env) expected += entry + '\0';
  EXPECT_EQ(shell_output("SECRET=1 " + shell_quote(in_dir("run.sh"))), expected);
}

TEST_F(PrepareJobDir, RunScriptQuotesWordsAndReadsNoInput) {
  JobDirSpec spec = this->spec();
  write_text(path("a=b"), "#!/bin/sh\nprintf '[%s]' \"$@\"; cat\n");
  ASSERT_EQ(::chmod(path("a=b").c_str(), 0755), 0);
  spec.argv = {path("a=b"), "", "two words", "-n", "$x", "*", "\xe2\x82\xac"};
  spec.stdin_prompt = false;
  prepare(spec);
  EXPECT_EQ(shell_output("echo not this | " + shell_quote(in_dir("run.sh"))),
            "[][two words][-n][$x][*][\xe2\x82\xac]");
}

TEST_F(PrepareJobDir, RunScriptOfATerminalJobKeepsTheInput) {
  JobDirSpec spec = this->spec();
  spec.argv = {"cat"};
  spec.stdin_prompt = false;
  spec.at_terminal = true;
  prepare(spec);
  EXPECT_EQ(shell_output("echo typed | " + shell_quote(in_dir("run.sh"))), "typed\n");
}

TEST_F(PrepareJobDir, RepetitionKeepsTheOutput) {
  prepare(spec());
  write_text(in_dir("output.log"), "so far\n");
  JobDirSpec again = spec();
  again.prompt = "do it\n";
  prepare(again);
  EXPECT_EQ(read_text(in_dir("output.log")), "so far\n");
  EXPECT_THAT(names(path("jobs/j1")), ElementsAre("claim", "output.log", "prompt.txt", "run.sh"));
}

TEST_F(PrepareJobDir, HalfCreatedDirectoryIsCompleted) {
  fs::create_directories(path("jobs/j1"));
  write_text(in_dir("prompt.txt"), "do");
  prepare(spec());
  EXPECT_EQ(read_text(in_dir("prompt.txt")), "do it\n");
  EXPECT_THAT(names(path("jobs/j1")), ElementsAre("claim", "output.log", "prompt.txt", "run.sh"));
}

TEST_F(PrepareJobDir, NextAttemptKeepsEarlierFiles) {
  prepare(spec());
  write_text(in_dir("output.log"), "first\n");
  for (const char* name : {"exit.json", "pid", "clarification.json", "meta.json", "notes-of-the-agent"}) {
    write_text(in_dir(name), name);
  }
  prepare(spec(2));
  EXPECT_THAT(names(path("jobs/j1")),
              ElementsAre("attempt-1", "claim", "notes-of-the-agent", "output.log", "prompt.txt", "run.sh"));
  EXPECT_THAT(names(in_dir("attempt-1")), ElementsAre("clarification.json", "exit.json", "meta.json",
                                                      "output.log", "pid", "prompt.txt", "run.sh"));
  EXPECT_EQ(read_text(in_dir("attempt-1/output.log")), "first\n");
  EXPECT_EQ(read_text(in_dir("output.log")), "");
  EXPECT_EQ(mode_of(in_dir("attempt-1")), 0700u);

  write_text(in_dir("output.log"), "second\n");
  prepare(spec(2));
  EXPECT_EQ(read_text(in_dir("output.log")), "second\n") << "preparing again moves nothing";
  prepare(spec(3));
  EXPECT_EQ(read_text(in_dir("attempt-2/output.log")), "second\n");
  EXPECT_EQ(read_text(in_dir("attempt-1/output.log")), "first\n");
  EXPECT_EQ(shell_output(shell_quote(in_dir("attempt-1/run.sh")) + " | tail -n 1"), "do it\n")
      << "the script finds the prompt beside it";
}

TEST_F(PrepareJobDir, InterruptedMoveIsFinished) {
  prepare(spec());
  write_text(in_dir("output.log"), "first\n");
  fs::create_directory(in_dir(".attempt-1.partial"));
  fs::rename(in_dir("prompt.txt"), in_dir(".attempt-1.partial/prompt.txt"));
  prepare(spec(2));
  EXPECT_THAT(names(in_dir("attempt-1")), ElementsAre("output.log", "prompt.txt", "run.sh"));
  EXPECT_THAT(names(path("jobs/j1")),
              ElementsAre("attempt-1", "claim", "output.log", "prompt.txt", "run.sh"));
}

TEST_F(PrepareJobDir, MoveInterruptedNearItsEndIsFinished) {
  prepare(spec());
  write_text(in_dir("output.log"), "first\n");
  fs::create_directory(in_dir(".attempt-1.partial"));
  for (const char* name : {"prompt.txt", "run.sh", "output.log"})
    fs::rename(in_dir(name), in_dir(std::string(".attempt-1.partial/") + name));
  prepare(spec(2));
  EXPECT_EQ(read_text(in_dir("attempt-1/output.log")), "first\n");

  // Everything was moved; only the marker is missing.
  fs::remove(path("moved-2"));
  for (const char* name : {"prompt.txt", "run.sh", "output.log"}) fs::remove(in_dir(name));
  prepare(spec(2));
  EXPECT_EQ(read_text(in_dir("attempt-1/output.log")), "first\n");
  EXPECT_THAT(names(path("jobs/j1")),
              ElementsAre("attempt-1", "claim", "output.log", "prompt.txt", "run.sh"));
}

TEST_F(PrepareJobDir, AgentsFileUnderTheNextNameIsMovedAside) {
  prepare(spec());
  write_text(in_dir("output.log"), "first\n");
  fs::create_directory(in_dir("attempt-1"));
  write_text(in_dir("attempt-1/output.log"), "forged\n");
  prepare(spec(2));
  EXPECT_EQ(read_text(in_dir("attempt-1/output.log")), "first\n");
  EXPECT_EQ(read_text(in_dir("attempt-1.1/output.log")), "forged\n");
  EXPECT_EQ(read_text(in_dir("output.log")), "");

  write_text(in_dir("output.log"), "second\n");
  prepare(spec(2));
  EXPECT_EQ(read_text(in_dir("output.log")), "second\n") << "preparing again moves nothing";
  write_text(in_dir("attempt-2.1"), "taken");
  fs::create_directory_symlink(path("elsewhere"), in_dir("attempt-2"));
  prepare(spec(3));
  EXPECT_EQ(read_text(in_dir("attempt-2/output.log")), "second\n");
  EXPECT_EQ(read_text(in_dir("attempt-2.1")), "taken");
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(in_dir("attempt-2.2"))));
  EXPECT_FALSE(fs::exists(path("elsewhere")));
}

TEST_F(PrepareJobDir, LinksAreReplacedNotFollowed) {
  write_text(path("victim"), "untouched");
  fs::create_directory(path("elsewhere"));
  prepare(spec());
  for (const char* name : {"prompt.txt", "run.sh"}) {
    fs::remove(in_dir(name));
    fs::create_symlink(path("victim"), in_dir(name));
  }
  prepare(spec());
  EXPECT_EQ(read_text(in_dir("prompt.txt")), "do it\n");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(in_dir("run.sh"))));

  fs::create_directory_symlink(path("elsewhere"), in_dir(".attempt-1.partial"));
  EXPECT_EQ(code_of(spec(2)), "job_dir_failed");
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
  EXPECT_EQ(read_text(path("victim")), "untouched");
}

TEST_F(PrepareJobDir, LinkInPlaceOfTheDirectoryIsRefused) {
  fs::create_directories(path("elsewhere"));
  fs::create_directories(path("jobs"));
  fs::create_directory_symlink(path("elsewhere"), path("jobs/j1"));
  EXPECT_EQ(code_of(spec()), "job_dir_failed");
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
}

TEST_F(PrepareJobDir, FileOrFolderInTheWayIsAnErrorThatNamesIt) {
  prepare(spec());
  fs::remove(in_dir("prompt.txt"));
  fs::create_directories(in_dir("prompt.txt/full"));
  const auto done = prepare_job_dir(spec());
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("jobs/j1/prompt.txt"));
  EXPECT_THAT(names(path("jobs/j1")), ElementsAre("claim", "output.log", "prompt.txt", "run.sh"))
      << "no temporary left";

  write_text(path("file"), "");
  JobDirSpec below_file = spec();
  below_file.path = path("file/j1");
  EXPECT_EQ(code_of(below_file), "job_dir_failed");
}

TEST_F(PrepareJobDir, JobsFolderWritableByOthersIsRefused) {
  fs::create_directories(path("jobs"));
  ASSERT_EQ(::chmod(path("jobs").c_str(), 0777), 0);
  const auto done = prepare_job_dir(spec());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "unsafe_jobs_root");
  EXPECT_EQ(done.error().kind, ErrorKind::refused);
  EXPECT_THAT(done.error().hint, HasSubstr("chmod go-w"));
  ASSERT_EQ(::chmod(path("jobs").c_str(), 01777), 0);
  prepare(spec());
}

TEST_F(PrepareJobDir, RelativePathIsRefused) {
  JobDirSpec spec = this->spec();
  for (const char* bad : {"", "jobs/j1", "/", "/tmp/"}) {
    spec.path = bad;
    EXPECT_EQ(code_of(spec), "bad_job_dir") << bad;
  }
}

// As root, the directory is given to another user. Otherwise there is no other user, and the test checks
// less.
TEST_F(PrepareJobDir, DirectoryBelongsToTheJobsUser) {
  JobDirSpec spec = this->spec();
  if (::geteuid() != 0) {
    prepare(spec);
    struct stat status;
    ASSERT_EQ(::lstat(in_dir("output.log").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, ::geteuid());
    return;
  }
  spec.uid = 65534;
  spec.gid = 65534;
  prepare(spec);
  prepare(spec);
  spec.attempt = 2;
  prepare(spec);
  for (const char* name : {"", "prompt.txt", "run.sh", "output.log", "attempt-1", "attempt-1/prompt.txt"}) {
    struct stat status;
    ASSERT_EQ(::lstat(in_dir(name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_uid, 65534u) << name;
    EXPECT_EQ(status.st_gid, 65534u) << name;
  }
  spec.uid = 65533;
  EXPECT_EQ(code_of(spec), "unsafe_job_dir");
}

}  // namespace
}  // namespace luzia
