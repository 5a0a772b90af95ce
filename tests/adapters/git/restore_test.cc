#include "tests/adapters/git/project.h"

namespace luzia {
namespace {

class RestoreTest : public GitProjectTest {
 protected:
  Result<ChangesSince> changes(const Snapshot& snapshot, const std::vector<std::string>& paths = {},
                               NewObjects objects = NewObjects::kept) const {
    const auto repository = find_repository(project(), soon());
    EXPECT_TRUE(repository) << repository.error().message;
    auto since = changes_since(*repository, snapshot, paths, objects, soon());
    EXPECT_TRUE(since) << since.error().message;
    return since;
  }
  Status restore(const Snapshot& snapshot, const std::vector<std::string>& paths = {}) const {
    return put_back(*changes(snapshot, paths));
  }
  static std::vector<std::string> words(const ChangesSince& since) {
    std::vector<std::string> list;
    for (const FileChange& change : since.changes) {
      const char* kinds[] = {"changed ", "removed ", "added "};
      list.push_back(kinds[static_cast<int>(change.kind)] + change.path);
    }
    return list;
  }
};

TEST_F(RestoreTest, ChangedAndDeletedFilesReturnNewOnesGo) {
  write("changed", "1\n");
  write("deleted/deep", "2\n");
  write("same", "3\n");
  commit();
  write("untracked", "4\n");
  const Snapshot snapshot = taken();
  shell("echo x >changed; rm -r deleted untracked; mkdir new; echo y >new/file; git add new");
  const auto since = changes(snapshot);
  EXPECT_THAT(words(*since),
              ElementsAre("changed changed", "removed deleted/deep", "added new/file", "removed untracked"));
  const std::string before = shell("git ls-files -s; git rev-parse HEAD; git stash list");
  ASSERT_TRUE(put_back(*since));
  EXPECT_EQ(read("changed"), "1\n");
  EXPECT_EQ(read("deleted/deep"), "2\n");
  EXPECT_EQ(read("untracked"), "4\n");
  EXPECT_FALSE(exists("new"));
  EXPECT_EQ(shell("git ls-files -s; git rev-parse HEAD; git stash list"), before) << "index and HEAD stay";
}

TEST_F(RestoreTest, AgentsCommitsStayWhileFilesAreRestored) {
  write("a", "1\n");
  commit();
  const Snapshot snapshot = taken();
  write("a", "2\n");
  commit("by the agent");
  ASSERT_TRUE(restore(snapshot));
  EXPECT_EQ(read("a"), "1\n");
  EXPECT_EQ(shell("git log -1 --format=%s"), "by the agent\n");
}

TEST_F(RestoreTest, IgnoredFilesAreNeverTouched) {
  write(".gitignore", "*.log\n");
  write("a", "1\n");
  commit();
  write("old.log", "1\n");
  const Snapshot snapshot = taken();
  write("old.log", "2\n");
  write("new.log", "3\n");
  EXPECT_THAT(words(*changes(snapshot)), IsEmpty());
  ASSERT_TRUE(restore(snapshot));
  EXPECT_EQ(read("old.log"), "2\n");
  EXPECT_EQ(read("new.log"), "3\n");
}

TEST_F(RestoreTest, FileIgnoredSinceIsRestored) {
  write("notes", "1\n");
  const Snapshot snapshot = taken();
  write(".gitignore", "notes\n");
  EXPECT_THAT(words(*changes(snapshot)), ElementsAre("added .gitignore")) << "the file must still exist";
  write("notes", "2\n");
  const auto since = changes(snapshot);
  EXPECT_THAT(words(*since), ElementsAre("added .gitignore", "changed notes"));
  ASSERT_TRUE(put_back(*since));
  EXPECT_EQ(read("notes"), "1\n");
  EXPECT_FALSE(exists(".gitignore"));
}

TEST_F(RestoreTest, FilesOmittedFromTheSnapshotAreKept) {
  write("shrinks", std::string(2000, 'x'));
  write("grows", "small");
  const Snapshot snapshot = taken(1000);
  write("shrinks", "small");
  write("grows", std::string(2000, 'x'));
  write("new", std::string(2000, 'x'));
  const auto since = changes(snapshot);
  EXPECT_THAT(words(*since), IsEmpty());
  EXPECT_THAT(since->left_alone, ElementsAre("grows", "new", "shrinks"));
  std::string text;
  ASSERT_TRUE(print_changes(*since, DiffForm::names, [&](std::string_view piece) {
    text += piece;
    return true;
  }));
  EXPECT_EQ(text, "") << "nor is it shown as new";
  ASSERT_TRUE(put_back(*since));
  EXPECT_EQ(read("shrinks"), "small");
  EXPECT_TRUE(exists("new"));
}

TEST_F(RestoreTest, OnlyNamedPathsAreRestored) {
  write("web/a", "1\n");
  write("web2/b", "1\n");
  write("c", "1\n");
  const Snapshot snapshot = taken();
  write("web/a", "2\n");
  write("web/new", "2\n");
  write("web2/b", "2\n");
  write("c", "2\n");
  EXPECT_THAT(words(*changes(snapshot, {"web"})), ElementsAre("changed web/a", "added web/new"));
  ASSERT_TRUE(restore(snapshot, {"web", "c"}));
  EXPECT_EQ(read("web/a"), "1\n");
  EXPECT_FALSE(exists("web/new"));
  EXPECT_EQ(read("web2/b"), "2\n");
  EXPECT_EQ(read("c"), "1\n");
}

TEST_F(RestoreTest, FilesFoldersLinksAndModesAreRestored) {
  write("file", "1\n");
  write("folder/inside", "2\n");
  write("tool", "3\n");
  shell("ln -s file link && chmod +x tool");
  const Snapshot snapshot = taken();
  shell(
      "rm file link && mkdir file && echo x >file/x && rm -r folder && echo y >folder && chmod -x tool && "
      "echo z >link");
  ASSERT_TRUE(restore(snapshot));
  EXPECT_EQ(read("file"), "1\n");
  EXPECT_EQ(read("folder/inside"), "2\n");
  EXPECT_EQ(shell("readlink link; test -x tool && echo runs"), "file\nruns\n");
}

TEST_F(RestoreTest, OddNamesAreRestored) {
  const std::vector<std::string> names = {"--all", "a\nb\t\"c\"", "\xc3\xa4", "bad\xff", ":(top)x"};
  for (const std::string& name : names) write(name, "1\n");
  const Snapshot snapshot = taken();
  for (const std::string& name : names) write(name, "2\n");
  write("-new\nfile", "x");
  ASSERT_TRUE(restore(snapshot));
  for (const std::string& name : names) EXPECT_EQ(read(name), "1\n");
  EXPECT_FALSE(exists("-new\nfile"));
}

TEST_F(RestoreTest, FileChangingMeanwhileRefusesTheRestore) {
  write("a", "1\n");
  write("b", "1\n");
  const Snapshot snapshot = taken();
  write("a", "2\n");
  write("b", "2\n");
  const auto since = changes(snapshot);
  write("b", "changed after the look\n");
  const Status done = put_back(*since);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "git_failed");
  EXPECT_EQ(read("a"), "2\n");
  EXPECT_EQ(read("b"), "changed after the look\n");
}

TEST_F(RestoreTest, ComparisonWritesNothingToTheRepository) {
  write("a", "1\n");
  const Snapshot snapshot = taken();
  write("a", "2\n");
  const std::string before = shell("find .git -type f | sort");
  const auto since = changes(snapshot, {}, NewObjects::scratch);
  std::string text;
  ASSERT_TRUE(print_changes(*since, DiffForm::patch, [&](std::string_view piece) {
    text += piece;
    return true;
  }));
  EXPECT_THAT(text, testing::HasSubstr("-1\n+2\n"));
  EXPECT_EQ(shell("find .git -type f | sort"), before);
}

TEST_F(RestoreTest, SubmodulesAreLeftAlone) {
  shell(
      "git init -q ../library && cd ../library && git config user.name A && git config user.email a@b && "
      "git commit -q --allow-empty -m one");
  shell("git -c protocol.file.allow=always submodule --quiet add ../library sub");
  commit();
  const Snapshot snapshot = taken();
  shell(
      "cd sub && git config user.name A && git config user.email a@b && git commit -q --allow-empty -m two");
  const auto since = changes(snapshot);
  EXPECT_THAT(words(*since), IsEmpty());
  EXPECT_THAT(since->left_alone, ElementsAre("sub/"));
}

}  // namespace
}  // namespace luzia
