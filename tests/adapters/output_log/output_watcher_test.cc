// The watcher: hints, live tails, files that change while watched, and inotify's limits.
#include <sys/resource.h>

#include <fstream>
#include <thread>

#include "tests/adapters/output_log/watcher_fixture.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using schema::OutputReset;

TEST_F(WatcherTest, FindingIsFoundByItsHint) {
  const JobDir dir;
  dir.append("");
  watch("a", dir);
  dir.append("::error::one\n");
  ASSERT_TRUE(run_until_found("a", 1));
  dir.append("text\n::error::two\n");
  ASSERT_TRUE(run_until_found("a", 2));
  EXPECT_THAT(seen_["a"].findings, ElementsAre("error 0-12 one", "error 18-30 two"));
  EXPECT_EQ(seen_["a"].lines, 3u);
  const auto hints = watcher_->recent_hints();
  ASSERT_FALSE(hints.empty());
  EXPECT_EQ(hints.back().job, "a");
  EXPECT_EQ(hints.back().what, RawHint::What::changed);
}

TEST_F(WatcherTest, ExistingOutputIsReadAtOnce) {
  const JobDir dir;
  dir.append("::error::x\n");
  watch("a", dir);
  EXPECT_TRUE(run_until_found("a", 1));
}

TEST_F(WatcherTest, FileCreatedLaterIsFound) {
  const JobDir dir;
  watch("a", dir);
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a") != nullptr; }));
  dir.append("::error::x\n");
  ASSERT_TRUE(run_until_found("a", 1));
  dir.append("::error::y\n");
  ASSERT_TRUE(run_until_found("a", 2));
  EXPECT_THAT(seen_["a"].restarts, IsEmpty());
}

TEST_F(WatcherTest, TailIsLiveWhileNothingIsRecorded) {
  const JobDir dir;
  watch("a", dir);
  dir.append("one\n\x1b[1mtwo\x1b[0m\nthr");
  ASSERT_TRUE(run_until([&] { return seen_["a"].tail.bytes == 19; }));
  EXPECT_EQ(seen_["a"].tail.last_line, "thr");
  EXPECT_EQ(seen_["a"].tail.lines, 2u);
  dir.append("ee\n");
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->lines == 3; }));
  EXPECT_EQ(watcher_->tail("a")->last_line, "three");
  EXPECT_EQ(seen_["a"].outputs, 0u) << "within five seconds a stretch without findings is no event";
  EXPECT_EQ(watcher_->tail("b"), nullptr);
}

TEST_F(WatcherTest, NextDaemonShowsTheLastLine) {
  const JobDir dir;
  dir.append("::error::x\n\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 1));
  ASSERT_EQ(seen_["a"].checkpoint.scanned_to, 12u);
  const std::size_t grew = seen_["a"].grew;
  watch("a", dir);
  EXPECT_EQ(watcher_->tail("a")->last_line, "") << "a worker thread must read it";
  EXPECT_TRUE(seen_["a"].recalled.empty());
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->last_line == "x"; }));
  EXPECT_EQ(seen_["a"].grew, grew) << "nothing was printed";
  EXPECT_EQ(seen_["a"].recalled, std::vector<std::string>{"x"});
  EXPECT_EQ(seen_["a"].lines, 2u);
  EXPECT_EQ(seen_["a"].findings.size(), 1u);
}

TEST_F(WatcherTest, OutputWithoutFindingsIsRecordedAfterFiveSeconds) {
  const JobDir dir;
  watch("a", dir);
  for (int i = 1; i <= 3; ++i) {
    dir.append("line\n");
    ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->lines == static_cast<unsigned>(i); }));
  }
  EXPECT_EQ(seen_["a"].appended, 0u);
  clock_ahead_ = 5 * kSecondUs;
  dir.append("line\n");
  ASSERT_TRUE(run_until([&] { return seen_["a"].appended == 1; }));
  EXPECT_GE(seen_["a"].lines, 3u);  // a late hint of the third may report the fourth
}

TEST_F(WatcherTest, LastStretchIsRecordedDespiteSilence) {
  limits_.reconcile_every = 20 * kMillisecondUs;
  const JobDir dir;
  watch("a", dir);
  dir.append("line\n");
  ASSERT_TRUE(run_until([&] { return watcher_->tail("a")->lines == 1; }));
  clock_ahead_ = 5 * kSecondUs;
  EXPECT_TRUE(run_until([&] { return seen_["a"].lines == 1; }));
}

TEST_F(WatcherTest, ReadingContinuesFromTheCheckpoint) {
  const JobDir dir;
  dir.append("::error::one\n::err");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 1));
  watcher_->forget("a");
  EXPECT_EQ(watcher_->watched(), 0u);
  dir.append("or::two\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 2));
  EXPECT_THAT(seen_["a"].findings, ElementsAre("error 0-12 one", "error 13-25 two"));
  EXPECT_EQ(watcher_->tail("a")->lines, 2u);
}

TEST_F(WatcherTest, SlowWriterOfSingleBytesIsReadOnce) {
  const JobDir dir;
  watch("a", dir);
  std::string text = "::error::one\n\x1b]9;4;1;50\a\n::group::two\n::error::three\n";
  std::thread writer([&] {
    for (const char& byte : text) dir.append({&byte, 1});
  });
  EXPECT_TRUE(run_until_found("a", 4));
  writer.join();
  EXPECT_THAT(seen_["a"].findings,
              ElementsAre("error 0-12 one", "osc 13-24 50%", "group 25-37 two", "error 38-52 three"));
  EXPECT_EQ(seen_["a"].lines, 4u);
}

TEST_F(WatcherTest, ManyJobsTakeTurnsWithoutLoss) {
  limits_.looks_per_second = 20;
  limits_.gather_all = 10 * kMillisecondUs;
  constexpr std::size_t kJobs = 150, kLines = 30;
  std::vector<JobDir> dirs(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) watch("job" + std::to_string(i), dirs[i]);
  std::thread writer([&] {
    for (std::size_t line = 0; line < kLines; ++line) {
      for (std::size_t i = 0; i < kJobs; ++i) dirs[i].append("::error::" + std::to_string(line) + "\ntext\n");
    }
  });
  EXPECT_TRUE(run_until([&] {
    return std::all_of(seen_.begin(), seen_.end(),
                       [](auto& s) { return s.second.findings.size() == kLines; });
  }));
  writer.join();
  for (const auto& [job, seen] : seen_) EXPECT_GE(seen.lines, 2 * kLines - 1) << job;
}

TEST_F(WatcherTest, BurstDoesNotDelayOtherJobs) {
  limits_.scan_at_most = 256 * 1024;
  const JobDir burst, other;
  const std::string line = std::string(1023, '.') + "\n";
  std::string mebibyte;
  for (int i = 0; i < 1024; ++i) mebibyte += line;
  for (int i = 0; i < 48; ++i) burst.append(mebibyte);
  watch("burst", burst);
  watch("other", other);
  other.append("::error::x\n");
  ASSERT_TRUE(run_until_found("other", 1));
  EXPECT_LT(watcher_->tail("burst")->bytes, 48u << 20)
      << "the burst was read whole before the others had a turn";
  ASSERT_TRUE(finish("burst", 48 << 20));
  EXPECT_EQ(seen_["burst"].lines, 48u << 10);
  EXPECT_LE(seen_["burst"].appended, 49u) << "at most one event per MiB";
}

// ---- files that change while watched ----

TEST_F(WatcherTest, TruncatedFileIsReadFromItsStart) {
  const JobDir dir;
  dir.append("::error::one\n::error::two\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 2));
  dir.overwrite("");
  ASSERT_TRUE(run_until([&] { return !seen_["a"].restarts.empty(); }));
  dir.append("::error::new\n");
  ASSERT_TRUE(run_until_found("a", 3));
  EXPECT_THAT(seen_["a"].restarts, ElementsAre(OutputReset::truncated));
  EXPECT_EQ(seen_["a"].findings.back(), "error 0-12 new");
  EXPECT_EQ(seen_["a"].checkpoint.generation, 1u);
}

TEST_F(WatcherTest, ReplacedFileIsReadAndWatched) {
  const JobDir dir;
  dir.append("::error::one\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 1));
  dir.replace("::error::two\n");
  ASSERT_TRUE(run_until_found("a", 2));
  EXPECT_EQ(seen_["a"].restarts.back(), OutputReset::replaced);
  dir.append("::error::three\n");
  ASSERT_TRUE(run_until_found("a", 3));
}

TEST_F(WatcherTest, VanishedFileIsReadWhenItReturns) {
  const JobDir dir;
  dir.append("::error::one\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 1));
  std::filesystem::remove(dir.log());
  ASSERT_TRUE(run_until([&] { return !seen_["a"].restarts.empty(); }));
  dir.append("::error::two\n");
  ASSERT_TRUE(run_until_found("a", 2));
  EXPECT_THAT(seen_["a"].restarts, ElementsAre(OutputReset::vanished, OutputReset::replaced));
  dir.append("::error::three\n");
  ASSERT_TRUE(run_until_found("a", 3));
}

TEST_F(WatcherTest, JobDirectoryThatVanishesAndReturnsIsReadAgain) {
  limits_.reconcile_unhinted = 20 * kMillisecondUs;
  const JobDir dir;
  dir.append("::error::one\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_found("a", 1));
  std::filesystem::remove_all(dir.path());
  ASSERT_TRUE(run_until([&] { return !seen_["a"].restarts.empty(); }));
  std::filesystem::create_directory(dir.path());
  dir.append("::error::two\n");
  ASSERT_TRUE(run_until_found("a", 2));
}

TEST_F(WatcherTest, LinkInPlaceOfTheFileIsReportedOnce) {
  const JobDir dir;
  std::filesystem::create_symlink("/etc/passwd", dir.log());
  watch("a", dir);
  ASSERT_TRUE(run_until([&] { return !seen_["a"].trouble.empty(); }));
  watcher_->look_at_all();
  ASSERT_TRUE(finish("a", 100));
  EXPECT_THAT(seen_["a"].trouble, ElementsAre("output_is_symlink"));
  EXPECT_EQ(seen_["a"].grew, 0u);
  EXPECT_EQ(seen_["a"].outputs, 0u);
}

TEST_F(WatcherTest, FileReplacingTheLinkIsRead) {
  const JobDir dir;
  std::filesystem::create_symlink("/etc/passwd", dir.log());
  watch("a", dir);
  ASSERT_TRUE(run_until([&] { return !seen_["a"].trouble.empty(); }));
  std::filesystem::remove(dir.log());
  dir.append("::error::x\n");
  EXPECT_TRUE(run_until_found("a", 1));
}

// ---- missing hints ----

/// While it exists, the process cannot open file descriptors, so inotify cannot be initialized.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

class MissingWatches : public WatcherTest {
 protected:
  void watch_without_inotify(const std::string& job, const JobDir& dir) {
    if (!watcher_) start();
    const NoDescriptors none;
    watch(job, dir);
  }
};

TEST_F(MissingWatches, TimerReadsTheJobAndReportsOnce) {
  limits_.reconcile_unhinted = 20 * kMillisecondUs;
  const JobDir first, second;
  first.append("");
  second.append("");
  watch_without_inotify("a", first);
  watch_without_inotify("b", second);
  first.append("::error::x\n");
  second.append("::error::x\n");
  ASSERT_TRUE(run_until_found("a", 1));
  ASSERT_TRUE(run_until_found("b", 1));
  std::size_t told = 0;
  for (const auto& [job, seen] : seen_) {
    told += static_cast<std::size_t>(std::count(seen.trouble.begin(), seen.trouble.end(), "no_file_watches"));
  }
  EXPECT_EQ(told, 1u);
}

TEST_F(MissingWatches, TimerReadsManyFilesInFewBatches) {
  limits_.reconcile_unhinted = 20 * kMillisecondUs;
  constexpr std::size_t kJobs = 150;
  std::vector<JobDir> dirs(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) {
    dirs[i].append("");
    watch_without_inotify("job" + std::to_string(i), dirs[i]);
  }
  for (const JobDir& dir : dirs) dir.append("::error::x\n");
  EXPECT_TRUE(run_until([&] {
    return std::all_of(seen_.begin(), seen_.end(), [](auto& s) { return s.second.findings.size() == 1; });
  }));
  EXPECT_EQ(seen_.size(), kJobs);
}

TEST_F(MissingWatches, HintsReturnWhenWatchesAreFree) {
  limits_.reconcile_unhinted = 20 * kMillisecondUs;
  const JobDir dir;
  dir.append("");
  watch_without_inotify("a", dir);
  const auto changed = [&] {
    const auto hints = watcher_->recent_hints();
    return std::any_of(hints.begin(), hints.end(),
                       [](const RawHint& h) { return h.what == RawHint::What::changed; });
  };
  EXPECT_TRUE(run_until([&] {
    dir.append("line\n");
    return changed();
  }));
}

TEST_F(MissingWatches, LookingAtAllFindsMissedOutput) {
  limits_.reconcile_unhinted = kNever;
  const JobDir dir;
  dir.append("");
  watch_without_inotify("a", dir);
  ASSERT_TRUE(run_until([&] { return !seen_["a"].trouble.empty(); }));
  dir.append("::error::x\n");
  watcher_->look_at_all();
  ASSERT_TRUE(run_until_found("a", 1));
  EXPECT_EQ(watcher_->recent_hints().back().what, RawHint::What::asked);
}

std::size_t kernels_queue() {
  std::size_t events = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> events;
  return events;
}

// The kernel drops events that do not fit its queue, and libuv does not report that.
TEST_F(WatcherTest, TimerFindsLinesWithDroppedHintsOnce) {
  limits_.reconcile_every = 300 * kMillisecondUs;
  const JobDir one, two, quiet;
  for (const JobDir* dir : {&one, &two, &quiet}) dir->append("begin\n");
  watch("one", one);
  watch("two", two);
  watch("quiet", quiet);
  ASSERT_TRUE(run_until([&] { return seen_["one"].grew + seen_["two"].grew + seen_["quiet"].grew >= 3; }));
  const std::size_t each = kernels_queue() / 2 + 100;
  ASSERT_GT(each, 100u);
  {
    // Alternates between the files, because inotify merges identical consecutive events.
    std::ofstream first(one.log(), std::ios::app), second(two.log(), std::ios::app);
    for (std::size_t i = 0; i < each; ++i) {
      first << 'x' << std::flush;
      second << 'y' << std::flush;
    }
  }
  quiet.append("::error::x\n");
  ASSERT_TRUE(run_until_found("quiet", 1));
  for (const RawHint& hint : watcher_->recent_hints()) {
    EXPECT_FALSE(hint.job == "quiet" && hint.what == RawHint::What::changed) << "the queue was not full";
  }
  ASSERT_TRUE(finish("one", 6 + each));
  ASSERT_TRUE(finish("two", 6 + each));
  ASSERT_TRUE(finish("quiet", 17));
  EXPECT_EQ(seen_["one"].lines, 2u);
  EXPECT_EQ(seen_["two"].lines, 2u);
  EXPECT_EQ(seen_["quiet"].lines, 2u);
  EXPECT_EQ(seen_["quiet"].findings.size(), 1u);
}

TEST_F(WatcherTest, LastHintsAreKeptOldestFirst) {
  const JobDir dir;
  watch("a", dir);
  for (int i = 0; i < 300; ++i) watcher_->look_at_all();
  const auto hints = watcher_->recent_hints();
  EXPECT_EQ(hints.size(), 256u);
  EXPECT_TRUE(std::is_sorted(hints.begin(), hints.end(),
                             [](const RawHint& a, const RawHint& b) { return a.when < b.when; }));
}

}  // namespace
}  // namespace luzia
