// The project's files around a job: snapshots, diff, restore, worktrees, clean-up.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class GitTest : public DaemonTest {
 protected:
  GitTest() {
    configure(
        "[git]\nsnapshot = true\n[agents.coder]\ncommand = [\"sh\", \"-c\", \"{task}\"]\nstdin = \"null\"\n"
        "[agents.sleeper]\ncommand = [\"sh\", \"-c\", \"sleep 1000\"]\n");
  }
  /// Runs a command in the project; the test fails if the command fails.
  std::string shell(const std::string& command) const {
    Words variables = environment({"GIT_CONFIG_NOSYSTEM=1"});
    const Finished done = run_to_end({"/bin/sh", "-c", "cd '" + project() + "' && " + command}, variables);
    EXPECT_EQ(done.code, 0) << command << "\n" << done.out << done.err;
    return done.out;
  }
  void make_repository() const {
    shell(
        "git init -q -b main && git config user.name Ana && git config user.email ana@localhost && "
        "printf '1\\n' >kept && printf '1\\n' >doomed && printf '*.o\\n' >.gitignore && git add -A && "
        "git commit -qm first");
  }
  std::string code(const std::string& task, const Words& options = {}) const {
    Words all = {"--agent", "coder"};
    all.insert(all.end(), options.begin(), options.end());
    return dispatch(task, all);
  }
  bool is_there(const std::string& name) const {
    return ::access((project() + "/" + name).c_str(), F_OK) == 0;
  }
  std::string text_of(const std::string& name) const { return read_text(project() + "/" + name); }
};

TEST_F(GitTest, AgentsWorkCanBeReviewedAndUndone) {
  make_repository();
  write_text(project() + "/untracked", "before\n");
  const std::string id = code("echo 2 >kept; rm doomed untracked; echo new >created; touch junk.o");
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto taken = events_of(id, "SnapshotTaken");
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0]["data"]["attempt"], 1);
  EXPECT_EQ(taken[0]["data"]["files"], 1);
  EXPECT_EQ(taken[0]["data"]["branch"], "main");
  EXPECT_EQ(shell("git rev-parse refs/luzia/" + id + "/1"),
            taken[0]["data"]["commit"].get<std::string>() + "\n");

  EXPECT_THAT(lines_of(luzia({"diff", id, "--name-only"}).out),
              ElementsAre("created", "doomed", "kept", "untracked"));
  EXPECT_THAT(luzia({"diff", id}).out, HasSubstr("-1\n+2\n"));
  EXPECT_THAT(luzia({"diff", id, "--stat"}).out, HasSubstr("4 files changed"));
  EXPECT_THAT(lines_of(luzia({"diff", id, "--name-only", "--", "kept"}).out), ElementsAre("kept"));
  const Json json = luzia_json({"diff", id});
  EXPECT_EQ(json["files"].size(), 4u) << json;
  EXPECT_EQ(json["files"][0]["path"], "created");
  EXPECT_EQ(json["files"][0]["change"], "added");
  EXPECT_EQ(json["files"][0]["added"], 1);

  const Finished shown = luzia({"restore", id});
  EXPECT_EQ(shown.code, 4) << shown.err;
  EXPECT_EQ(error_lines(shown.err), 1u) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("remove      created"));
  EXPECT_TRUE(is_there("created")) << "only shown";
  const Finished done = luzia({"restore", id, "--yes"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(text_of("kept"), "1\n");
  EXPECT_EQ(text_of("doomed"), "1\n");
  EXPECT_EQ(text_of("untracked"), "before\n");
  EXPECT_FALSE(is_there("created"));
  EXPECT_TRUE(is_there("junk.o")) << "ignored files stay";
  const auto restored = events_of(id, "FilesRestored");
  ASSERT_EQ(restored.size(), 1u);
  EXPECT_EQ(restored[0]["data"]["files"], 4);
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("put back"));

  EXPECT_EQ(luzia({"restore", id, "--backup", "1", "--yes"}).code, 0);
  EXPECT_EQ(text_of("kept"), "2\n");
  EXPECT_EQ(text_of("created"), "new\n");
  EXPECT_EQ(luzia({"restore", id, "--backup", "7"}).code, 3);
  EXPECT_EQ(luzia({"restore", id, "--attempt", "2"}).code, 3);
  EXPECT_EQ(luzia({"restore", id, "../outside"}).code, 2);
  for (const char* command : {"restore", "diff"}) {
    const Finished nowhere = luzia({command, id, "nowhere"});
    EXPECT_EQ(nowhere.code, 3) << nowhere.err;
    EXPECT_THAT(nowhere.err, HasSubstr("there is no 'nowhere'"));
    EXPECT_EQ(luzia({command, id, "junk.o"}).code, 0) << "the snapshot exists and no file differs from it";
  }
  expect_verified();
}

TEST_F(GitTest, EachAttemptHasItsOwnSnapshot) {
  make_repository();
  const std::string id = code("echo $LUZIA_ATTEMPT >>kept; [ $LUZIA_ATTEMPT = 2 ]");
  EXPECT_EQ(ended(id)["state"], "failed");
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  ASSERT_TRUE(becomes(id, "completed"));
  EXPECT_THAT(luzia({"diff", id}).out, Not(HasSubstr("\n+1\n")));
  EXPECT_THAT(luzia({"diff", id, "--attempt", "1"}).out, HasSubstr("\n+1\n+2\n"));
  EXPECT_EQ(luzia({"restore", id, "--attempt", "2", "--yes"}).code, 0);
  EXPECT_EQ(text_of("kept"), "1\n1\n");
}

TEST_F(GitTest, RunningJobIsNotRestored) {
  make_repository();
  const std::string id = dispatch_until("running", "x", {"--agent", "sleeper"});
  write_text(project() + "/kept", "2\n");
  const Finished refused = luzia({"restore", id, "--yes"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("running"));
  EXPECT_EQ(text_of("kept"), "2\n");
  EXPECT_EQ(luzia({"cancel", id}).code, 0);
  EXPECT_EQ(ended(id)["state"], "killed");
  EXPECT_EQ(luzia({"restore", id, "--yes"}).code, 0);
  EXPECT_EQ(text_of("kept"), "1\n");
}

TEST_F(GitTest, ShellsAndPlainFoldersNeedNoSnapshot) {
  const std::string plain = code("true");
  EXPECT_EQ(ended(plain)["state"], "completed");
  EXPECT_THAT(events_of(plain, "SnapshotTaken"), IsEmpty());
  EXPECT_THAT(events_of(plain, "SnapshotFailed"), IsEmpty());
  EXPECT_EQ(luzia({"diff", plain}).code, 4) << "no repository";
  make_repository();
  const std::string shell_job = dispatch("true");
  EXPECT_EQ(ended(shell_job)["state"], "completed");
  EXPECT_THAT(events_of(shell_job, "SnapshotTaken"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(job_dir(shell_job) + "/preflight.log")) << "nothing ran before it";
  const Finished refused = luzia({"diff", shell_job});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("[projects.demo]"));
}

TEST_F(GitTest, FailedSnapshotOnlyWarns) {
  make_repository();
  write_text(project() + "/.git/HEAD", "nonsense\n");
  const std::string id = code("echo done");
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto failed = events_of(id, "SnapshotFailed");
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_THAT(failed[0]["data"]["reason"].get<std::string>(), HasSubstr("git"));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr(failed[0]["data"]["reason"].get<std::string>()));
}

TEST_F(GitTest, SlowSnapshotIsAbandonedWithoutFailingTheJob) {
  write_text(path("more.toml"), "[jobs]\npreflight_timeout = \"12s\"\n");
  ASSERT_EQ(luzia({"daemon", "start", "--config", path("more.toml")}).code, 0);
  make_repository();
  shell(
      "git config filter.slow.clean 'while :; do :; done' && echo '*.txt filter=slow' >.gitattributes && "
      "echo x >a.txt");
  const std::string id = code("echo done");
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "completed") << row;
  const auto failed = events_of(id, "SnapshotFailed");
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_THAT(failed[0]["data"]["reason"].get<std::string>(), HasSubstr("time"));
}

TEST_F(GitTest, LargeFilesAreNamedAndLeftAlone) {
  configure("[git]\nsnapshot_max_file = \"1KiB\"\n[agents.coder]\ncommand = [\"sh\", \"-c\", \"{task}\"]\n");
  make_repository();
  write_text(project() + "/large", std::string(5000, 'x'));
  const std::string id = code("echo 2 >kept; : >large");
  EXPECT_EQ(ended(id)["state"], "completed");
  const auto taken = events_of(id, "SnapshotTaken");
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0]["data"]["skipped"], Json::array({"large"}));
  const Finished shown = luzia({"diff", id, "--name-only"});
  EXPECT_EQ(shown.out, "kept\n");
  EXPECT_THAT(shown.err, HasSubstr("large"));
  EXPECT_EQ(luzia({"restore", id, "--yes"}).code, 0);
  EXPECT_EQ(text_of("kept"), "1\n");
  EXPECT_EQ(text_of("large"), "");
}

TEST_F(GitTest, DiffSanitizesAgentText) {
  make_repository();
  const std::string id = code("printf 'x\\033]0;title\\007\\033[31m\\n' >kept");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(luzia({"diff", id}).out, Not(HasSubstr("\033")));
  EXPECT_THAT(luzia({"diff", id, "--color", "always"}).out, Not(HasSubstr("\033]0")));
  EXPECT_THAT(luzia({"diff", id, "--color", "always"}).out, HasSubstr("\033["));
}

TEST_F(GitTest, JobInAWorktreeLeavesTheProjectAlone) {
  make_repository();
  write_text(project() + "/kept", "not committed\n");
  const std::string id =
      code("pwd; cat kept; echo $LUZIA_ATTEMPT >>kept; echo $PWD; [ $LUZIA_ATTEMPT = 2 ]", {"--worktree"});
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  const std::string tree = job_dir(id) + "/worktree";
  EXPECT_THAT(read_text(job_dir(id) + "/output.log"), HasSubstr(tree + "\n1\n" + tree + "\n"));
  EXPECT_EQ(text_of("kept"), "not committed\n");
  const auto made = events_of(id, "WorktreeMade");
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0]["data"]["branch"], "luzia/" + id);
  EXPECT_EQ(luzia({"diff", id, "--name-only"}).out, "kept\n");
  EXPECT_EQ(luzia({"retry", id}).code, 0);
  ASSERT_TRUE(becomes(id, "completed"));
  EXPECT_EQ(read_text(tree + "/kept"), "1\n1\n2\n") << "kept over retries";
  EXPECT_EQ(events_of(id, "WorktreeMade").size(), 1u);
  EXPECT_EQ(luzia({"restore", id, "--yes"}).code, 0);
  EXPECT_EQ(read_text(tree + "/kept"), "1\n1\n");
  EXPECT_EQ(text_of("kept"), "not committed\n");
  expect_verified();
}

TEST_F(GitTest, WorktreeErrorFailsTheAttempt) {
  const std::string id = code("true", {"--worktree"});
  const Json row = ended(id);
  EXPECT_EQ(row["state"], "failed") << row;
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("is in no git repository"));
  shell("git init -q");
  const std::string other = code("true", {"--worktree"});
  EXPECT_EQ(ended(other)["state"], "failed");
  EXPECT_THAT(luzia({"why", other}).out, HasSubstr("no commit yet"));
}

TEST_F(GitTest, CleanUpKeepsUnmergedWork) {
  make_repository();
  const std::string spent = code("true", {"--worktree"});
  const std::string dirty = code("echo x >new", {"--worktree"});
  const std::string ahead = code(
      "git config user.name A; git config user.email a@b; echo x >new; git add new; "
      "git commit -qm new",
      {"--worktree"});
  for (const std::string& id : {spent, dirty, ahead}) {
    const Json row = ended(id);
    EXPECT_EQ(row["state"], "completed") << row;
  }
  const Finished dry = luzia({"gc", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("not committed"));
  EXPECT_EQ(luzia({"gc"}).code, 4);
  const auto has_tree = [&](const std::string& id) {
    return ::access((job_dir(id) + "/worktree").c_str(), F_OK) == 0;
  };
  EXPECT_TRUE(has_tree(spent));
  const Json lists = luzia_json({"gc", "--dry-run"});
  EXPECT_EQ(lists["remove"].size(), 1u) << lists;
  EXPECT_EQ(lists["keep"].size(), 2u) << lists;
  const Finished done = luzia({"gc", "--yes"});
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("removed 1 worktree\n"));
  EXPECT_FALSE(has_tree(spent));
  EXPECT_TRUE(has_tree(dirty));
  EXPECT_TRUE(has_tree(ahead));
  EXPECT_EQ(events_of(spent, "WorktreeRemoved").size(), 1u);
  EXPECT_THAT(shell("git branch --list 'luzia/*'"), Not(HasSubstr(spent)));
  shell("git merge -q luzia/" + ahead);
  EXPECT_EQ(luzia({"gc", "--yes"}).code, 0);
  EXPECT_FALSE(has_tree(ahead));
  EXPECT_TRUE(is_there("new"));
  EXPECT_EQ(luzia({"diff", spent}).code, 3);
  const Finished none = luzia({"gc", "--yes"});
  EXPECT_THAT(none.err, HasSubstr("nothing to remove\n"));
  EXPECT_THAT(none.err, Not(HasSubstr("removed")));
}

TEST_F(GitTest, OldSnapshotsAreCleanedUp) {
  configure("[git]\nkeep_snapshots = \"0s\"\n[agents.coder]\ncommand = [\"sh\", \"-c\", \"{task}\"]\n");
  make_repository();
  const std::string id = code("true");
  const std::string live = code("while [ ! -e go ]; do sleep 0.05; done");
  EXPECT_EQ(ended(id)["state"], "completed");
  ASSERT_TRUE(becomes(live, "running"));
  EXPECT_THAT(luzia({"gc", "--yes"}).err, HasSubstr("removed the old snapshots of 1 repository\n"));
  EXPECT_EQ(shell("git for-each-ref --format='%(refname)' refs/luzia"), "refs/luzia/" + live + "/1\n");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(live)["state"], "completed");
}

TEST_F(GitTest, SnapshotSurvivesAKilledDaemon) {
  make_repository();
  shell(
      "git config filter.slow.clean 'while [ ! -e go ]; do sleep 0.05; done; cat' && "
      "echo '*.txt filter=slow' >.gitattributes && echo x >a.txt");
  const std::string id = code("echo 2 >kept");
  ASSERT_TRUE(becomes(id, "starting"));
  kill_daemon();
  write_text(project() + "/go", "");
  start_daemon();
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_EQ(shell("git show refs/luzia/" + id + "/1:kept"), "1\n");
  EXPECT_THAT(luzia({"diff", id}).out, HasSubstr("+2"));
}

TEST_F(GitTest, DiffRunsNothingOfARepositoryThatTheAgentPutInPlace) {
  make_repository();
  const std::string id =
      code("git init -q --template= evil && git -C evil config filter.x.clean 'touch " + path("ran") +
               "; cat' && echo '* filter=x' >.gitattributes && echo 2 >kept && echo \"gitdir: "
               "$PWD/evil/.git\" >.git",
           {"--worktree"});
  EXPECT_EQ(ended(id)["state"], "completed");
  const Finished diff = luzia({"diff", id});
  EXPECT_EQ(diff.code, 4);
  EXPECT_THAT(diff.err, HasSubstr("leads it to another repository, whose settings may name programs"));
  EXPECT_FALSE(std::filesystem::exists(path("ran")));
}

TEST_F(GitTest, DispatchReportsUncommittedFilesMissingFromAWorktree) {
  make_repository();
  EXPECT_THAT(luzia({"dispatch", "demo", "true", "--worktree"}).err,
              HasSubstr("without uncommitted changes"));
  const Json shown = luzia_json({"dispatch", "demo", "true", "--worktree", "--dry-run"});
  EXPECT_TRUE(shown["jobs"][0]["worktree"].get<bool>()) << shown;
  EXPECT_THAT(shown["jobs"][0]["dir"].get<std::string>(), HasSubstr("/JOB/worktree"));
}

}  // namespace
}  // namespace luzia
