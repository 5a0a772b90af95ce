// A log that somebody else writes: read by name with somebody's rights, and through rotation.
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "tests/adapters/output_log/watcher_fixture.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

int open_to_read(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

class ForeignLogTest : public WatcherTest {
 protected:
  ForeignLog log() const { return {dir_.path() + "/app.log", open_to_read}; }
  void write(const std::string& name, const std::string& text,
             std::ios::openmode mode = std::ios::app) const {
    std::ofstream(dir_.path() + '/' + name, std::ios::binary | mode) << text;
  }
  void watch_log(const ForeignLog& log) {
    if (!watcher_) start();
    WatchSpec spec;
    spec.job = "job";
    spec.attempt = 3;
    spec.job_dir = dir_.path();
    spec.owner_uid = getuid() + 1;  // not asked for
    spec.checkpoint = seen_["job"].checkpoint;
    spec.lines_before = seen_["job"].lines;
    spec.foreign = log;
    watcher_->watch(std::move(spec));
  }
  const std::vector<std::string>& findings() { return seen_["job"].findings; }
  [[nodiscard]] bool run_until_found(std::size_t count) { return WatcherTest::run_until_found("job", count); }

  JobDir dir_;
};

TEST_F(ForeignLogTest, OnlyTheNamedFileIsReadAndNobodyIsAsked) {
  write("output.log", "::error::not this\n");
  write("clarification.json", "{}");
  write("app.log", "::error::this\n");
  watch_log(log());
  ASSERT_TRUE(run_until_found(1));
  write("approval.json", "{}");
  write("output.log", "::error::nor this\n");
  write("app.log", "::error::and this\n");
  ASSERT_TRUE(run_until_found(2));
  EXPECT_THAT(findings(), ElementsAre("error 0-13 this", "error 14-31 and this"));
  EXPECT_THAT(seen_["job"].requests, IsEmpty());
  ASSERT_TRUE(finish("job", ~std::uint64_t{0}));
  EXPECT_THAT(seen_["job"].requests, IsEmpty());
}

TEST_F(ForeignLogTest, ReadingBeginsAtTheEndAndNotBefore) {
  write("app.log", std::string(1000, 'x') + "\n::error::old\n");
  const auto end = checkpoint_at_end(log());
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->scanned_to, 1014U);
  write("app.log", "::error::new\n");
  seen_["job"].checkpoint = *end;
  watch_log(log());
  ASSERT_TRUE(run_until_found(1));
  EXPECT_THAT(findings(), ElementsAre("error 1014-1026 new"));
  EXPECT_THAT(seen_["job"].restarts, IsEmpty()) << "it is the same file";
}

TEST_F(ForeignLogTest, RenamedFileIsReadToItsEndBeforeTheNewOne) {
  write("app.log", "::error::one\n");
  watch_log(log());
  ASSERT_TRUE(run_until_found(1));
  watcher_->forget("job");
  write("app.log", "::error::two\n");
  std::filesystem::rename(dir_.path() + "/app.log", dir_.path() + "/app.log.1");
  write("app.log.1", "::error::three\n");
  write("app.log", "::error::four\n");
  watch_log(log());
  ASSERT_TRUE(run_until_found(4));
  EXPECT_THAT(findings(),
              ElementsAre("error 0-12 one", "error 13-25 two", "error 26-40 three", "error 0-13 four"));
  EXPECT_THAT(seen_["job"].restarts, ElementsAre(schema::OutputReset::replaced));
}

TEST_F(ForeignLogTest, RenamedFileIsStillTheLogUntilThereIsANewOne) {
  write("app.log", "::error::one\n");
  watch_log(log());
  ASSERT_TRUE(run_until_found(1));
  std::filesystem::rename(dir_.path() + "/app.log", dir_.path() + "/app.log.1");
  write("app.log.1", "::error::two\n");
  watcher_->look_at_all();
  ASSERT_TRUE(run_until_found(2));
  EXPECT_THAT(seen_["job"].restarts, IsEmpty());
  write("app.log", "::error::three\n");
  ASSERT_TRUE(run_until_found(3));
  EXPECT_THAT(seen_["job"].restarts, ElementsAre(schema::OutputReset::replaced));
}

TEST_F(ForeignLogTest, CatchingUpRecordsWhatWaitsAndGoesOn) {
  write("app.log", "plain\n");
  limits_.coalesce_time = kNever;
  watch_log(log());
  ASSERT_TRUE(run_until([&] { return seen_["job"].tail.lines == 1; }));
  EXPECT_EQ(seen_["job"].appended, 0U) << "it waits for more";
  std::vector<std::uint64_t> caught_up;
  write("app.log", "more\n");
  watcher_->catch_up("job", [&] { caught_up.push_back(seen_["job"].checkpoint.scanned_to); });
  ASSERT_TRUE(run_until([&] { return !caught_up.empty(); }));
  EXPECT_THAT(caught_up, ElementsAre(11U));
  write("app.log", "::error::later\n");
  ASSERT_TRUE(run_until_found(1));
  watcher_->catch_up("nobody", [&] { caught_up.push_back(0); });
  EXPECT_THAT(caught_up, ElementsAre(11U, 0U)) << "at once";
}

TEST_F(ForeignLogTest, WhatMayNotBeOpenedIsNotRead) {
  write("app.log", "::error::secret\n");
  const ForeignLog shut{dir_.path() + "/app.log", [](const std::string&) { return -EACCES; }};
  EXPECT_EQ(checkpoint_at_end(shut).error().code, "log_unreadable");
  watch_log(shut);
  ASSERT_TRUE(finish("job", ~std::uint64_t{0}));
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(seen_["job"].trouble, ElementsAre("output_unreadable"));
}

TEST_F(ForeignLogTest, OnlyRegularFilesAreLogs) {
  EXPECT_EQ(checkpoint_at_end(log()).error().code, "no_log");
  ASSERT_EQ(mkfifo((dir_.path() + "/pipe").c_str(), 0600), 0);
  for (const char* name : {"/pipe", "", "/."}) {
    const auto end = checkpoint_at_end({dir_.path() + name, open_to_read});
    ASSERT_FALSE(end) << name;
    EXPECT_EQ(end.error().code, "log_unreadable") << name;
  }
}

}  // namespace
}  // namespace luzia
