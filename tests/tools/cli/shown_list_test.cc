#include "tools/cli/shown_list.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace luzia {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

class ShownListTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/luzia-shown-XXXXXX";
    parent_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(parent_); }

  std::string folder() const { return parent_ + "/luzia"; }
  std::string file() const { return folder() + "/list-1-2-3"; }
  ShownList list() const { return {folder(), "list-1-2-3"}; }
  std::string why_not(std::size_t row, TimeUs now = kNow) const {
    const auto job = list().job(row, now);
    EXPECT_FALSE(job) << *job;
    EXPECT_EQ(job ? "" : job.error().code, "no_such_row");
    return job ? "" : job.error().message;
  }

  std::string parent_;
};

TEST_F(ShownListTest, RowNamesItsJobUntilTheNextList) {
  ASSERT_TRUE(list().keep({"a", "b", "c"}, kNow));
  EXPECT_EQ(list().job(3, kNow), "c");
  ASSERT_TRUE(list().keep({"d"}, kNow));
  EXPECT_EQ(list().job(1, kNow + 11 * 3'600 * kSecondUs), "d");
  EXPECT_THAT(why_not(2), HasSubstr("%2: the list that was shown last on this terminal has 1 row"));
  EXPECT_THAT(why_not(1, kNow + 13 * 3'600 * kSecondUs), HasSubstr("older than 12 hours"));
  EXPECT_THAT(why_not(1, kNow - kSecondUs), HasSubstr("older than 12 hours")) << "the clock was set back";
}

TEST_F(ShownListTest, TerminalWithoutAListHasNoRows) {
  EXPECT_THAT(why_not(1), HasSubstr("no list of jobs or flows was shown on this terminal"));
  ASSERT_TRUE(list().keep({"a"}, kNow));
  EXPECT_FALSE(ShownList(folder(), "list-1-2-4").job(1, kNow)) << "another session";
}

TEST_F(ShownListTest, FileIsTheUsersAloneAndOfBoundedSize) {
  ASSERT_TRUE(list().keep(std::vector<std::string>(100'000, std::string(30, 'x')), kNow));
  EXPECT_EQ(list().job(ShownList::kMostRows, kNow), std::string(30, 'x'));
  why_not(ShownList::kMostRows + 1);
  EXPECT_LT(fs::file_size(file()), 64u << 10);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(ShownListTest, LinksAndFoldersOfOthersAreNotFollowed) {
  fs::create_directories(parent_ + "/elsewhere");
  std::ofstream(parent_ + "/victim") << "luzia list 1 " << kNow << "\nforged\n";
  fs::create_directory_symlink(parent_ + "/elsewhere", folder());
  EXPECT_FALSE(list().keep({"a"}, kNow));
  EXPECT_TRUE(fs::is_empty(parent_ + "/elsewhere"));
  fs::remove(folder());
  fs::create_directory(folder());
  fs::create_symlink(parent_ + "/victim", file());
  why_not(1);
  ASSERT_TRUE(list().keep({"a"}, kNow));
  EXPECT_FALSE(fs::is_symlink(file()));
  EXPECT_EQ(fs::file_size(parent_ + "/victim"), 13 + std::to_string(kNow).size() + 8);
  fs::permissions(folder(), fs::perms::all);
  EXPECT_FALSE(list().keep({"b"}, kNow)) << "others may write there";
  why_not(1);
}

TEST_F(ShownListTest, ListThatCannotBeReplacedIsGone) {
  ASSERT_TRUE(list().keep({"a"}, kNow));
  fs::create_directory(file() + "." + std::to_string(::getpid()));
  EXPECT_FALSE(list().keep({"b"}, kNow));
  EXPECT_THAT(why_not(1), HasSubstr("no list")) << "%1 of the new list must not mean a row of the old one";
}

TEST_F(ShownListTest, OldListsOfOtherTerminalsAreRemoved) {
  ASSERT_TRUE(ShownList(folder(), "list-old").keep({"a"}, kNow));
  std::ofstream(folder() + "/something else") << "kept";
  const TimeUs later = wall_clock() + 13 * 3'600 * kSecondUs;
  ASSERT_TRUE(list().keep({"b"}, later));
  EXPECT_FALSE(fs::exists(folder() + "/list-old"));
  EXPECT_TRUE(fs::exists(folder() + "/something else"));
  EXPECT_EQ(list().job(1, later), "b");
}

TEST_F(ShownListTest, DamagedFileIsNoList) {
  ASSERT_TRUE(list().keep({"a"}, kNow));
  for (const char* text : {"", "luzia list 1 x\na\n", "something\na\n"}) {
    std::ofstream(file(), std::ios::trunc) << text;
    why_not(1);
  }
}

TEST(RowName, IsAPercentSignAndANumber) {
  EXPECT_EQ(row_named_by("%3"), 3u);
  EXPECT_EQ(row_named_by("%120"), 120u);
  for (const char* word : {"", "%", "3", "%0", "%x", "%-1", "%1 ", "%99999999999"}) {
    EXPECT_EQ(row_named_by(word), 0u) << word;
  }
}

}  // namespace
}  // namespace luzia
