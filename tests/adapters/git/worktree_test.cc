#include "tests/adapters/git/project.h"

namespace luzia {
namespace {

class WorktreeTest : public GitProjectTest {
 protected:
  WorktreeTest() { std::filesystem::create_directory(job()); }
  std::string job() const { return scratch("job"); }
  std::string tree() const { return job() + "/worktree"; }
  Result<Worktree> make(const std::string& project) const {
    return make_worktree(project, tree(), "luzia/job", soon());
  }
  WorktreeState state() const {
    const auto state = look_at_worktree(tree(), project(), soon());
    EXPECT_TRUE(state) << state.error().message;
    return state.value_or(WorktreeState{});
  }
};

TEST_F(WorktreeTest, BeginsAtTheLastCommitOnItsOwnBranch) {
  write("a", "1\n");
  commit();
  write("a", "not committed\n");
  std::filesystem::create_directory(tree());
  const auto made = make(project());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->kept);
  EXPECT_EQ(shell("cat ../job/worktree/a"), "1\n");
  EXPECT_EQ(read("a"), "not committed\n");
  EXPECT_EQ(shell("git rev-parse luzia/job"), made->base + "\n");
  EXPECT_EQ(shell("git symbolic-ref HEAD"), "refs/heads/main\n");
  EXPECT_EQ(shell("git config --get-regexp '^branch' || true"), "") << "it tracks no other branch";
}

TEST_F(WorktreeTest, NextAttemptFindsItUnchanged) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  shell("echo work >../job/worktree/a");
  const auto again = make(project());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->kept);
  EXPECT_EQ(shell("cat ../job/worktree/a"), "work\n");
}

TEST_F(WorktreeTest, HalfCreatedOneIsRecreated) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  shell("rm ../job/worktree/a && echo initializing >.git/worktrees/worktree/locked");
  const auto again = make(project());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->kept);
  EXPECT_EQ(shell("cat ../job/worktree/a"), "1\n");
}

TEST_F(WorktreeTest, GitRunsNothingOfARepositoryToWhichAnAgentLedIt) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  shell("git init -q ../evil && git -C ../evil config filter.x.clean 'touch " + scratch("ran") + "; cat'");
  shell(
      "cd ../job/worktree && echo '* filter=x' >.gitattributes && echo 'gitdir: ../../evil/.git' >.git && "
      "touch a");
  const auto led_away = look_at_worktree(tree(), project(), soon());
  ASSERT_FALSE(led_away);
  EXPECT_EQ(led_away.error().code, "diverted_repository");
  EXPECT_THAT(led_away.error().message, HasSubstr("worktree/.git leads it to another repository"));
  shell("echo ../../evil/.git >.git/commondir");
  const auto by_common = find_repository(project(), soon());
  ASSERT_FALSE(by_common);
  EXPECT_EQ(by_common.error().code, "diverted_repository");
  EXPECT_THAT(by_common.error().message, HasSubstr("/.git/commondir leads it"));
  EXPECT_FALSE(std::filesystem::exists(scratch("ran")));
}

TEST_F(WorktreeTest, MissingFolderIsRecreatedFromItsBranch) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  shell("cd ../job/worktree && echo 2 >a && git commit -qam two && cd .. && rm -r worktree");
  ASSERT_TRUE(make(project()));
  EXPECT_EQ(shell("cat ../job/worktree/a"), "2\n");
}

TEST_F(WorktreeTest, ProjectBelowTheTopGetsItsSubfolder) {
  write("web/a", "1\n");
  write("other", "2\n");
  commit();
  std::filesystem::create_directory(tree());
  ASSERT_TRUE(make(path("web")));
  EXPECT_EQ(shell("cat ../job/worktree/a; cat ../job/repository/other"), "1\n2\n");
  const auto again = make(path("web"));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->kept);
  EXPECT_TRUE(remove_worktree(tree(), state(), soon()));
  EXPECT_FALSE(std::filesystem::exists(job() + "/repository"));
  EXPECT_FALSE(std::filesystem::is_symlink(tree()));
}

TEST_F(WorktreeTest, WithoutACommitItIsRefused) {
  const auto refused = make(project());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "no_commit");
}

TEST_F(WorktreeTest, ListsWhatWouldBeLost) {
  write("a", "1\n");
  write(".gitignore", "*.o\n");
  commit();
  ASSERT_TRUE(make(project()));
  shell("touch ../job/worktree/x.o");
  EXPECT_FALSE(state().changed) << "ignored files do not count as lost";
  EXPECT_TRUE(state().merged);
  shell("touch ../job/worktree/new");
  EXPECT_TRUE(state().changed);
  shell("cd ../job/worktree && git add new && git commit -qm new");
  EXPECT_FALSE(state().changed);
  EXPECT_FALSE(state().merged);
  shell("git merge -q luzia/job");
  EXPECT_TRUE(state().merged);
}

TEST_F(WorktreeTest, IsRemovedWithItsMergedBranch) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  ASSERT_TRUE(remove_worktree(tree(), state(), soon()));
  EXPECT_FALSE(std::filesystem::exists(tree()));
  EXPECT_EQ(shell("git branch --list; git worktree list | wc -l"), "* main\n1\n");
}

TEST_F(WorktreeTest, BranchWithUnmergedWorkIsKept) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  shell("cd ../job/worktree && git commit -q --allow-empty -m work");
  ASSERT_TRUE(remove_worktree(tree(), state(), soon()));
  EXPECT_THAT(shell("git branch --list"), HasSubstr("luzia/job"));
}

TEST_F(WorktreeTest, ChangedWorktreeIsNotRemoved) {
  write("a", "1\n");
  commit();
  ASSERT_TRUE(make(project()));
  const WorktreeState before = state();
  shell("touch ../job/worktree/new");
  const Status refused = remove_worktree(tree(), before, soon());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("modified or untracked"));
  EXPECT_TRUE(std::filesystem::exists(tree() + "/new"));
}

}  // namespace
}  // namespace luzia
