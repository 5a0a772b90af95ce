#include "tools/read/known_machines.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/tools/read/rows_of_machines.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class KnownMachinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/luzia-known-XXXXXX";
    parent_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(parent_); }
  std::string folder() const { return parent_ + "/luzia/machines"; }
  KnownMachines known() const { return KnownMachines(folder()); }
  /// The times of files are those of the machine's clock.
  static TimeUs now() { return 4'000'000'000 * kSecondUs; }

  std::string parent_;
};

TEST_F(KnownMachinesTest, RowsOfTheSameQuestionAreFoundAgain) {
  EXPECT_FALSE(known().rows_of("far", "jobs"));
  known().keep_rows("far", "jobs", page_of({job_row("5")}), 100);
  const auto rows = known().rows_of("far", "jobs");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->as_of_us, 100);
  EXPECT_EQ(rows->page.position, 7u);
  EXPECT_THAT(ids_of(rows->page), ElementsAre("5"));
  EXPECT_FALSE(known().rows_of("far", "jobs --project web"));
  EXPECT_FALSE(known().rows_of("near", "jobs"));
}

TEST_F(KnownMachinesTest, FolderAndFilesAreTheUsersAlone) {
  known().keep_rows("far", "jobs", page_of({job_row("5")}), 100);
  struct stat status {};
  ASSERT_EQ(::stat(folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (const auto& entry : fs::directory_iterator(folder())) {
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    // Somebody else could have written it.
    ASSERT_EQ(::chmod(entry.path().c_str(), 0666), 0);
  }
  EXPECT_FALSE(known().rows_of("far", "jobs"));
}

TEST_F(KnownMachinesTest, SizeIsBounded) {
  RowPage large = page_of({});
  for (int i = 0; i < 30'000; ++i) large.rows.push_back(job_row(std::string(13, 'x')));
  known().keep_rows("far", "jobs", large, 100);
  EXPECT_FALSE(known().rows_of("far", "jobs")) << "too large to be kept";
  for (std::size_t i = 0; i < KnownMachines::kMostAnswers + 20; ++i) {
    known().keep_rows("far", "jobs " + std::to_string(i), page_of({job_row("5")}), 100);
  }
  EXPECT_LE(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()),
            static_cast<std::ptrdiff_t>(KnownMachines::kMostAnswers));
  EXPECT_TRUE(known().rows_of("far", "jobs " + std::to_string(KnownMachines::kMostAnswers + 19)));
  known().keep_rows("far", "jobs", page_of({job_row("5")}), now());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1)
      << "the old ones were forgotten";
}

TEST_F(KnownMachinesTest, JobsAreRememberedAndTheOldestForgotten) {
  known().keep_jobs("far", {"1aaaaaaaaaaaa", "1bbbbbbbbbbbb"});
  EXPECT_EQ(known().machine_of("1bbbbbbbbbbbb"), "far");
  known().keep_jobs("other", {"1bbbbbbbbbbbb"});
  EXPECT_EQ(known().machine_of("1bbbbbbbbbbbb"), "other");
  EXPECT_EQ(known().machine_of("1aaaaaaaaaaaa"), "far");
  std::vector<std::string> many;
  for (std::size_t i = 0; i < 2 * KnownMachines::kMostJobs; ++i) many.push_back("2" + std::to_string(i));
  known().keep_jobs("far", many);
  EXPECT_EQ(known().machine_of("1bbbbbbbbbbbb"), "other") << "one machine makes no other's forgotten";
  EXPECT_EQ(known().machine_of("1aaaaaaaaaaaa"), "");
  EXPECT_EQ(known().machine_of(many.back()), "far");
  EXPECT_EQ(known().machine_of(many.front()), "");
  EXPECT_EQ(known().machines_of_jobs().size(), KnownMachines::kMostJobs);
  known().keep_jobs("two words", {"3"});
  EXPECT_EQ(known().machine_of("3"), "two words");
  known().keep_jobs("far", {"5 spoofed\n4 far", std::string(100, 'x')});
  EXPECT_EQ(known().machine_of("4"), "") << "ids of another machine are not trusted";
}

TEST_F(KnownMachinesTest, SilenceEndsWithAnAnswer) {
  EXPECT_EQ(known().silent_since("far"), 0);
  known().keep_silent("far", 50);
  known().keep_silent("near", 60);
  EXPECT_EQ(known().silent_since("far"), 50);
  known().keep_silent("far", 0);
  EXPECT_EQ(known().silent_since("far"), 0);
  EXPECT_EQ(known().silent_since("near"), 60);
  known().keep_silent("two words", 70);
  EXPECT_EQ(known().silent_since("two words"), 70);
}

TEST_F(KnownMachinesTest, DamagedFilesAndNoFolderKnowNothing) {
  known().keep_rows("far", "jobs", page_of({job_row("5")}), 100);
  for (const auto& entry : fs::directory_iterator(folder())) {
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  EXPECT_FALSE(known().rows_of("far", "jobs"));
  const KnownMachines nothing{std::string()};
  nothing.keep_jobs("far", {"5"});
  nothing.keep_rows("far", "jobs", page_of({}), 100);
  EXPECT_EQ(nothing.machine_of("5"), "");
  EXPECT_FALSE(nothing.rows_of("far", "jobs"));
}

}  // namespace
}  // namespace luzia::test
