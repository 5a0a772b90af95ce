#include "tests/adapters/git/project.h"

namespace luzia {
namespace {

using SnapshotTest = GitProjectTest;

std::string stamp_of(const std::string& file) {
  struct stat status {};
  ::stat(file.c_str(), &status);
  return std::to_string(status.st_ino) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

TEST_F(SnapshotTest, IndexWorkTreeHeadAndStashAreUnchanged) {
  write("a", "1\n");
  write("staged", "old\n");
  commit();
  write("a", "stashed\n");
  shell("git stash -q");
  write("staged", "in the index\n");
  shell("git add staged && rm a");
  write("staged", "in the work tree\n");
  write("untracked", "x\n");
  const auto state = [&] {
    return stamp_of(path(".git/index")) + read(".git/index") +
           shell(
               "export GIT_OPTIONAL_LOCKS=0; git status --porcelain; git stash list; git rev-parse HEAD; git "
               "symbolic-ref HEAD; "
               "git ls-files -s; git diff; ls -lA --time-style=full-iso --ignore=.git; cat .git/logs/HEAD");
  };
  shell("git status");  // refreshes the index once
  const std::string before = state();
  const Snapshot snapshot = taken();
  EXPECT_EQ(state(), before);
  EXPECT_THAT(names_in(snapshot), ElementsAre("staged", "untracked"));
  EXPECT_EQ(content_in(snapshot, "staged"), "in the work tree\n");
  EXPECT_EQ(snapshot.files, 3u);
  EXPECT_EQ(shell("git log -1 --format='%an %cn' refs/luzia/job/1"), "luzia luzia\n");
  EXPECT_EQ(shell("git rev-parse refs/luzia/job/1"), snapshot.commit + "\n");
}

TEST_F(SnapshotTest, ContainsUntrackedButNotIgnoredFiles) {
  write(".gitignore", "*.o\n/build/\n");
  commit();
  write("new/deep.c", "int x;\n");
  write("new/deep.o", "object");
  write("build/out", "out");
  EXPECT_THAT(names_in(taken()), ElementsAre(".gitignore", "new/deep.c"));
}

TEST_F(SnapshotTest, WithoutChangesThereIsStillACommit) {
  write("a", "1\n");
  commit();
  const Snapshot snapshot = taken();
  EXPECT_EQ(snapshot.files, 0u);
  EXPECT_EQ(snapshot.branch, "main");
  EXPECT_EQ(shell("git rev-parse HEAD"), snapshot.head + "\n");
  EXPECT_EQ(shell("git rev-parse 'refs/luzia/job/1^' && git diff --stat HEAD refs/luzia/job/1"),
            snapshot.head + "\n");
}

TEST_F(SnapshotTest, LargeFilesAreOmittedAndNamed) {
  write("tracked", "small\n");
  commit();
  write("tracked", std::string(2000, 'x'));
  write("large", std::string(2000, 'y'));
  write("fits", std::string(1000, 'z'));
  const Snapshot snapshot = taken(1000);
  EXPECT_THAT(snapshot.left_out, ElementsAre("large", "tracked"));
  EXPECT_THAT(names_in(snapshot), ElementsAre("fits", "tracked"));
  EXPECT_EQ(content_in(snapshot, "tracked"), "small\n") << "as it was committed";
}

TEST_F(SnapshotTest, ReadsBackWithItsOmissions) {
  write("odd\n\\name", std::string(2000, 'y'));
  const Snapshot snapshot = taken(1000);
  const auto repository = find_repository(project(), soon());
  const auto back = read_snapshot(*repository, snapshot_ref("job", "1"), soon());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->tree, snapshot.tree);
  EXPECT_EQ(back->max_file, 1000u);
  EXPECT_EQ(back->repository, project());
  EXPECT_THAT(back->left_out, ElementsAre("odd\n\\name"));
  EXPECT_EQ(read_snapshot(*repository, snapshot_ref("job", "2"), soon()).error().code, "no_snapshot");
  const auto refs = list_snapshots(*repository, soon());
  ASSERT_TRUE(refs && refs->size() == 1);
  EXPECT_EQ(refs->front().job, "job");
  EXPECT_EQ(refs->front().name, "1");
  EXPECT_EQ(refs->front().commit, snapshot.commit);
  EXPECT_GT(refs->front().taken_s, 1'000'000'000);
}

TEST_F(SnapshotTest, WithoutACommitItHasNoParent) {
  write("first", "1\n");
  const Snapshot snapshot = taken();
  EXPECT_EQ(snapshot.head, "");
  EXPECT_EQ(snapshot.branch, "main");
  EXPECT_EQ(snapshot.files, 1u);
  EXPECT_EQ(shell("git rev-list --count refs/luzia/job/1"), "1\n");
  EXPECT_FALSE(exists(".git/index"));
}

TEST_F(SnapshotTest, DetachedHeadHasNoBranch) {
  commit();
  shell("git checkout -q --detach");
  EXPECT_EQ(taken().branch, "");
  EXPECT_EQ(shell("git rev-parse HEAD"), taken().head + "\n");
}

TEST_F(SnapshotTest, MergeInProgressIsKeptWithItsMarkers) {
  write("a", "base\n");
  commit();
  shell("git checkout -q -b other");
  write("a", "theirs\n");
  commit();
  shell("git checkout -q main");
  write("a", "ours\n");
  commit();
  shell("git merge -q other || true");
  const std::string before = shell("git ls-files -s -u; cat .git/MERGE_HEAD");
  EXPECT_THAT(content_in(taken(), "a"), HasSubstr("<<<<<<<"));
  EXPECT_EQ(shell("git ls-files -s -u; cat .git/MERGE_HEAD"), before);
}

TEST_F(SnapshotTest, LockedIndexDoesNotMatter) {
  write("a", "1\n");
  commit();
  write("a", "2\n");
  write(".git/index.lock", "");
  EXPECT_EQ(content_in(taken(), "a"), "2\n");
}

TEST_F(SnapshotTest, FolderWithoutRepositoryIsNoError) {
  const std::string plain = scratch("plain");
  std::filesystem::create_directory(plain);
  EXPECT_FALSE(may_have_repository(plain));
  EXPECT_TRUE(may_have_repository(project()));
  EXPECT_EQ(find_repository(plain, soon()).error().code, "no_repository");
  shell("git init -q --bare ../bare");
  EXPECT_TRUE(may_have_repository(scratch("bare")));
  EXPECT_EQ(find_repository(scratch("bare"), soon()).error().code, "bare_repository");
  EXPECT_EQ(find_repository(path(".git"), soon()).error().code, "bare_repository");
}

TEST_F(SnapshotTest, BrokenRepositoryGivesAOneLineError) {
  write("a", "1\n");
  commit();
  write(".git/HEAD", "nonsense\n");
  const auto refused = snapshot();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "broken_repository") << "an unusable repository is not a missing one";
  EXPECT_THAT(refused.error().message, Not(HasSubstr("\n")));
  EXPECT_THAT(refused.error().message, HasSubstr("git"));
}

TEST_F(SnapshotTest, OddFileNamesAreKept) {
  const std::vector<std::string> names = {"--all",   "-f",   "\xc3\xa4 \xe2\x82\xac",
                                          ":(top)a", "a\nb", "bad\xff"};
  for (const std::string& name : names) write(name, name);
  const Snapshot snapshot = taken();
  EXPECT_EQ(names_in(snapshot).size(), names.size());
  for (const std::string& name : names) EXPECT_EQ(content_in(snapshot, name), name);
}

TEST_F(SnapshotTest, FoldersLinksAndModesAreKept) {
  write("file", "1\n");
  write("folder/inside", "2\n");
  write("tool", "#!/bin/sh\n");
  commit();
  shell(
      "rm file && mkdir file && echo 3 >file/inside && rm -r folder && echo 4 >folder && chmod +x tool && "
      "ln -s nowhere link && mkfifo pipe");
  const Snapshot snapshot = taken();
  EXPECT_THAT(names_in(snapshot), ElementsAre("file/inside", "folder", "link", "tool"));
  EXPECT_THAT(shell("git ls-tree -r " + snapshot.tree), HasSubstr("100755 blob"));
  EXPECT_THAT(shell("git ls-tree -r " + snapshot.tree), HasSubstr("120000 blob"));
}

TEST_F(SnapshotTest, TrackedFileReplacedByAFifoIsOmitted) {
  write("a", "1\n");
  commit();
  shell("rm a && mkfifo a");
  const Snapshot snapshot = taken();
  EXPECT_THAT(snapshot.left_out, ElementsAre("a"));
}

TEST_F(SnapshotTest, SubmodulesKeepTheirCommitNestedRepositoriesAreOmitted) {
  shell(
      "git init -q ../library && cd ../library && git config user.name A && git config user.email a@b && "
      "git commit -q --allow-empty -m one");
  shell("git -c protocol.file.allow=always submodule --quiet add ../library sub");
  commit();
  shell(
      "cd sub && git config user.name A && git config user.email a@b && git commit -q --allow-empty -m two");
  write("sub/new", "of the submodule\n");
  shell("git init -q inside && echo x >inside/file");
  const Snapshot snapshot = taken();
  EXPECT_THAT(snapshot.left_out, ElementsAre("inside/"));
  EXPECT_THAT(names_in(snapshot), ElementsAre(".gitmodules", "sub"));
  EXPECT_THAT(shell("git ls-tree " + snapshot.tree + " sub"),
              HasSubstr(shell("git -C sub rev-parse HEAD").substr(0, 40)));
}

TEST_F(SnapshotTest, SparseCheckoutLosesNothing) {
  write("in/a", "1\n");
  write("out/b", "2\n");
  commit();
  for (const char* kind : {"--no-sparse-index", "--sparse-index"}) {
    shell(std::string("git sparse-checkout set --cone ") + kind + " in");
    ASSERT_FALSE(exists("out/b"));
    write("in/a", kind);
    const Snapshot snapshot = taken();
    EXPECT_THAT(names_in(snapshot), ElementsAre("in/a", "out/b"));
    EXPECT_EQ(content_in(snapshot, "in/a"), kind);
    EXPECT_EQ(snapshot.files, 1u);
  }
}

TEST_F(SnapshotTest, LinkedWorktreesAndSubfoldersWork) {
  write("web/a", "1\n");
  commit();
  shell("git worktree add -q ../second");
  shell("echo 2 >../second/web/a");
  const auto snapshot = take_snapshot(scratch("second/web"), 0, snapshot_ref("job", "2"), "x", soon());
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_EQ(snapshot->repository, scratch("second"));
  EXPECT_EQ(content_in(*snapshot, "web/a"), "2\n");
  EXPECT_EQ(shell("git rev-parse refs/luzia/job/2"), snapshot->commit + "\n");
}

TEST_F(SnapshotTest, ProgramsFromGitConfigurationDoNotRun) {
  write("a", "1\n");
  commit();
  const std::string trap = scratch("trap"), ran = scratch("ran");
  shell("printf '#!/bin/sh\\necho \"$0\" >>" + ran + "\\n' >" + trap + " && chmod +x " + trap);
  shell("git config core.fsmonitor " + trap + " && git config core.pager " + trap +
        " && git config core.editor " + trap + " && git config alias.diff-files '!" + trap +
        "' && git config diff.external " + trap + " && git config core.sshCommand " + trap +
        " && git config gpg.program " + trap + " && git config commit.gpgSign true");
  for (const char* hook : {"post-index-change", "reference-transaction", "pre-commit", "post-commit",
                           "fsmonitor-watchman", "post-checkout"}) {
    shell(std::string("cp ") + trap + " .git/hooks/" + hook);
  }
  write("a", "2\n");
  const Snapshot snapshot = taken();
  EXPECT_EQ(content_in(snapshot, "a"), "2\n");
  const auto repository = find_repository(project(), soon());
  write("a", "3\n");
  const auto since = changes_since(*repository, snapshot, {}, NewObjects::kept, soon());
  ASSERT_TRUE(since) << since.error().message;
  EXPECT_TRUE(print_changes(*since, DiffForm::patch, [](std::string_view) { return true; }));
  EXPECT_TRUE(put_back(*since));
  EXPECT_TRUE(make_worktree(project(), scratch("tree"), "luzia/job", soon()));
  EXPECT_FALSE(std::filesystem::exists(ran)) << shell("cat " + ran);
}

TEST_F(SnapshotTest, InheritedGitVariablesAreIgnored) {
  write("a", "1\n");
  ::setenv("GIT_DIR", scratch("elsewhere").c_str(), 1);
  ::setenv("GIT_INDEX_FILE", path("index").c_str(), 1);
  const auto snapshot = this->snapshot();
  ::unsetenv("GIT_DIR");
  ::unsetenv("GIT_INDEX_FILE");
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_THAT(names_in(*snapshot), ElementsAre("a"));
}

TEST_F(SnapshotTest, UnchangedFilesAreNotReadAgain) {
  write(".gitattributes", "*.txt filter=count\n");
  shell("git config filter.count.clean 'echo %f >>" + scratch("count") + "; cat'");
  write("a.txt", "1\n");
  write("b.txt", "2\n");
  commit();
  // git must read a file's content if its entry was written at the same time as the index, but not if the
  // index is newer.
  shell("touch -d '-1 hour' a.txt b.txt && git add -A && rm " + scratch("count"));
  EXPECT_EQ(taken().files, 0u);
  EXPECT_FALSE(std::filesystem::exists(scratch("count")));
  write("b.txt", "3\n");
  EXPECT_EQ(taken().files, 1u);
  EXPECT_THAT(shell("cat " + scratch("count")), AllOf(HasSubstr("b.txt"), Not(HasSubstr("a.txt"))));
}

TEST_F(SnapshotTest, FileAsOldAsTheIndexIsRead) {
  shell("git config core.trustctime false");
  write("a", "one\n");
  shell("touch -d @1700000000 a && git add a && git commit -q -m x && touch -d @1700000000 .git/index");
  write("a", "two\n");
  shell("touch -d @1700000000 a");
  EXPECT_EQ(content_in(taken(), "a"), "two\n");
}

TEST_F(SnapshotTest, SlowFilterIsStoppedAtTheTimeLimit) {
  write(".gitattributes", "*.txt filter=slow\n");
  shell("git config filter.slow.clean 'while :; do :; done'");
  write("a.txt", "1\n");
  const auto late = take_snapshot(project(), 0, snapshot_ref("job", "1"), "x",
                                  std::chrono::steady_clock::now() + std::chrono::seconds(1));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, "git_timeout");
}

TEST_F(SnapshotTest, UnwritableRepositoryGivesAOneLineError) {
  write("a", "1\n");
  commit();
  write("a", "2\n");
  shell("chmod -R a-w .git && git config --global --add safe.directory '*' && chmod -R a+rX ..");
  EXPECT_EQ(as_nobody([&] {
              const auto refused = snapshot();
              if (refused) return 1;
              const bool one_line = refused.error().message.find('\n') == std::string::npos;
              return one_line && refused.error().message.find("ermission") != std::string::npos ? 0 : 2;
            }),
            0);
  shell("chmod -R u+w .git");
}

TEST_F(SnapshotTest, UnreadableFileIsOmitted) {
  write("a", "1\n");
  write("secret", "2\n");
  shell(
      "chmod 0 secret && git config --global --add safe.directory '*' && chmod -R a+rwX . && chmod 0 secret "
      "&& "
      "chmod a+rX .. ../home");
  EXPECT_EQ(as_nobody([&] {
              const auto snapshot = this->snapshot();
              return snapshot && snapshot->left_out == std::set<std::string>{"secret"} ? 0 : 1;
            }),
            0);
}

TEST_F(SnapshotTest, ForeignRepositoryIsRefusedWithTheFix) {
  if (::geteuid() == 0) shell("chown -R 65533 .");
  ::setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  const auto refused = find_repository(project(), soon());
  ::unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  if (::geteuid() != 0) {
    EXPECT_TRUE(refused) << "the variable is not passed on, and the repository is ours";
    return;
  }
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "foreign_repository");
  EXPECT_THAT(refused.error().hint, HasSubstr("safe.directory"));
}

TEST_F(SnapshotTest, LeavesNothingInTheTemporaryFolder) {
  const std::string temp = scratch("temp");
  std::filesystem::create_directory(temp);
  ::setenv("TMPDIR", temp.c_str(), 1);
  write("a", "1\n");
  taken();
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(temp));
}

}  // namespace
}  // namespace luzia
