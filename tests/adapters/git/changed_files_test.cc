// Which files of a work tree changed and when: any names, any number.
#include "adapters/git/changed_files.h"

#include <ctime>

#include "tests/adapters/git/project.h"

namespace luzia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ChangedFilesTest : public GitProjectTest {
 protected:
  static std::int64_t now_us() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
  }
  Result<ChangedFiles> look(std::int64_t since_us = 0, const ChangedFilesLimits& limits = {}) const {
    return changed_files(project(), since_us, limits, soon());
  }
  std::vector<std::string> names(std::int64_t since_us = 0) const {
    const auto found = look(since_us);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> all;
    for (const ChangedFile& file : found.value_or(ChangedFiles{}).files) all.push_back(file.path);
    return all;
  }
  /// The ctime of the file's inode.
  std::int64_t changed_us(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::lstat(path(name).c_str(), &status), 0);
    return status.st_ctim.tv_sec * 1'000'000 + status.st_ctim.tv_nsec / 1000;
  }
};

TEST_F(ChangedFilesTest, EveryUncommittedChangeHasItsTime) {
  for (const char* name : {"same", "edited", "staged", "doomed", "touched"}) write(name, "1\n");
  write(".gitignore", "*.o\n");
  commit();
  const std::int64_t before = now_us();
  write("edited", "2\n");
  write("staged", "2\n");
  shell("git add staged && rm doomed && touch touched && ln -s nowhere link");
  write("new/deep/file", "1\n");
  write("junk.o", "1\n");
  const auto found = look();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(names(), UnorderedElementsAre("edited", "staged", "link", "new/deep/file"));
  for (const ChangedFile& file : found->files) {
    EXPECT_EQ(file.from_us, changed_us(file.path)) << file.path;
    EXPECT_GE(file.until_us, before) << file.path;
    EXPECT_GT(file.until_us, file.from_us) << file.path;
  }
}

TEST_F(ChangedFilesTest, NamesMayContainAnyBytes) {
  commit();
  const std::vector<std::string> hostile = {
      "with  spaces ", "line\nbreak", "tab\t\"quote\"\\", "-n",     "? x",
      "1 .M N... x",   "überß 文件",  "\xff\xfe\x01",     "a;b$(c)"};
  for (const std::string& name : hostile) write(name, "1\n");
  EXPECT_THAT(names(), testing::UnorderedElementsAreArray(hostile));
  shell("git add -A && git commit -qm all");
  for (const std::string& name : hostile) write(name, "2\n");
  EXPECT_THAT(names(), testing::UnorderedElementsAreArray(hostile));
  const auto found = look();
  ASSERT_TRUE(found);
  const auto again = changed_files_from_text(to_text(*found));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->files, found->files);
}

TEST_F(ChangedFilesTest, AConflictIsAChange) {
  write("kept", "1\n");
  commit();
  shell("git checkout -q -b side && echo 2 >kept && git commit -qam side && git checkout -q main");
  shell("echo 3 >kept && git commit -qam main && ! git merge -q side");
  EXPECT_THAT(names(), ElementsAre("kept"));
}

TEST_F(ChangedFilesTest, UsesChangeTimeNotModificationTime) {
  commit();
  write("set", "1\n");
  shell("touch -d 2001-01-01 set");
  EXPECT_THAT(names(now_us() - 3'600'000'000), ElementsAre("set"));
  EXPECT_THAT(names(now_us() + 3'600'000'000), IsEmpty());
}

TEST_F(ChangedFilesTest, ListingChangesNothing) {
  write("a", "1\n");
  commit();
  write("a", "2\n");
  const std::string before = shell("stat -c %Y%Z%i%s .git/index && ls -R .git");
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_EQ(shell("stat -c %Y%Z%i%s .git/index && ls -R .git"), before);
}

TEST_F(ChangedFilesTest, ListIsBoundedAndTheRestCounted) {
  commit();
  for (int i = 0; i < 9; ++i) write("file" + std::to_string(i), "1\n");
  const auto few = look(0, {.files = 4});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->files.size(), 4u);
  EXPECT_EQ(few->more, 5u);
  const auto short_names = look(0, {.bytes = 11});
  ASSERT_TRUE(short_names);
  EXPECT_EQ(short_names->files.size(), 2u);
  EXPECT_EQ(short_names->more, 7u);
}

TEST_F(ChangedFilesTest, TreeWithTooManyFilesIsRefused) {
  for (int i = 0; i < 9; ++i) write("file" + std::to_string(i), "1\n");
  const auto untracked = look(0, {.listed = 8});
  ASSERT_FALSE(untracked);
  EXPECT_EQ(untracked.error().code, "too_many_files");
  ASSERT_TRUE(look(0, {.listed = 9}));
  commit();
  const auto tracked = look(0, {.tracked = 8});
  ASSERT_FALSE(tracked);
  EXPECT_EQ(tracked.error().code, "too_many_files");
  ASSERT_TRUE(look(0, {.tracked = 9}));
}

TEST_F(ChangedFilesTest, AtMostAHundredThousandTrackedFilesAreRead) {
  // Fakes an index of that size without the files; only its header is read.
  shell(
      "blob=$(git hash-object -w --stdin </dev/null) && seq 100001 | "
      "sed \"s|.*|100644 $blob\\tf&|\" | git update-index --index-info");
  const auto found = look();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "too_many_files");
}

TEST_F(ChangedFilesTest, TopIsTheNearestRepositoryEvenThroughALink) {
  std::filesystem::create_directories(path("deep/down"));
  EXPECT_EQ(work_tree_top(project()), project());
  EXPECT_EQ(work_tree_top(path("deep/down")), project());
  std::filesystem::create_directory_symlink(path("deep"), scratch("link"));
  EXPECT_EQ(work_tree_top(scratch("link")), project());
  commit();
  shell("git worktree add -q ../tree");
  EXPECT_EQ(work_tree_top(scratch("tree")), scratch("tree"));
  EXPECT_EQ(work_tree_top(scratch("home")), "");
  EXPECT_EQ(work_tree_top(scratch("nowhere")), "");
}

TEST(ChangedFilesTextTest, IncompleteTextIsRefused) {
  using namespace std::string_literals;
  EXPECT_TRUE(changed_files_from_text("0\0"s));
  const auto one = changed_files_from_text("1 2 a b\0"s + "7\0"s);
  ASSERT_TRUE(one);
  EXPECT_THAT(one->files, ElementsAre(ChangedFile{"a b", 1, 2}));
  EXPECT_EQ(one->more, 7u);
  for (const std::string& bad : {""s, "0"s, "\0"s, "1 2 a\0"s, "1 2 a\0"s + "7"s, "1 x a\0"s + "0\0"s,
                                 "1 2 \0"s + "0\0"s, "luzia: no\0"s}) {
    const auto read = changed_files_from_text(bad);
    EXPECT_FALSE(read) << bad;
  }
}

}  // namespace
}  // namespace luzia
