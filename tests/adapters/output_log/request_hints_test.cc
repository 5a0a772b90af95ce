// Changes of request files are reported by their own hints, by the timer if hints are lost, and at the end.
#include <fstream>

#include "tests/adapters/output_log/watcher_fixture.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

class RequestHints : public WatcherTest {
 protected:
  void write(const JobDir& dir, const std::string& name, const std::string& content) const {
    std::ofstream(dir.path() + '/' + name, std::ios::binary | std::ios::trunc) << content;
  }
  /// The number of reports caused by a hint, and by a look.
  std::size_t hinted(const std::string& job) {
    return static_cast<std::size_t>(
        std::ranges::count_if(seen_[job].requests, [](const auto& marks) { return !marks; }));
  }
  std::size_t looked(const std::string& job) { return seen_[job].requests.size() - hinted(job); }
  [[nodiscard]] bool run_until_looked(const std::string& job, std::size_t times = 1) {
    return run_until([&] { return looked(job) >= times; });
  }
};

TEST_F(RequestHints, FirstLookReportsEvenIfNothingExists) {
  const JobDir empty, asking;
  write(asking, "clarification.json", "{}");
  watch("empty", empty);
  watch("asking", asking);
  ASSERT_TRUE(run_until_looked("empty") && run_until_looked("asking"));
  EXPECT_EQ(seen_["empty"].requests.front(), RequestMarks{});
  EXPECT_NE(seen_["asking"].requests.front()->question, 0u);
  EXPECT_EQ(seen_["asking"].requests.front()->gate, 0u);
}

TEST_F(RequestHints, EveryChangeOfARequestFileIsReported) {
  for (const std::string name : {"clarification.json", "approval.json"}) {
    const JobDir dir;
    dir.append("");
    watch(name, dir);
    ASSERT_TRUE(run_until_looked(name));
    std::size_t before = hinted(name);
    write(dir, name, "{");
    ASSERT_TRUE(run_until([&] { return hinted(name) > before; })) << name << " appeared";
    before = hinted(name);
    write(dir, "other", "{}");
    std::filesystem::rename(dir.path() + "/other", dir.path() + '/' + name);
    ASSERT_TRUE(run_until([&] { return hinted(name) > before; })) << name << " was replaced";
    before = hinted(name);
    std::filesystem::remove(dir.path() + '/' + name);
    ASSERT_TRUE(run_until([&] { return hinted(name) > before; })) << name << " went";
    EXPECT_EQ(watcher_->recent_hints().back().what, RawHint::What::requests);
  }
}

TEST_F(RequestHints, OtherFilesAreNoRequests) {
  const JobDir dir;
  watch("a", dir);
  ASSERT_TRUE(run_until_looked("a"));
  write(dir, "notes.txt", "x");
  write(dir, "clarification.json.new", "x");
  dir.append("::error::one\n");
  ASSERT_TRUE(run_until_found("a", 1));
  EXPECT_EQ(hinted("a"), 0u);
}

TEST_F(RequestHints, OtherFilesTriggerNoLook) {
  const JobDir dir;
  dir.append("");
  watch("a", dir);
  ASSERT_TRUE(run_until_looked("a"));
  const std::size_t before = watcher_->recent_hints().size();
  write(dir, "notes.txt", "x");
  dir.append("::error::one\n");  // its hint follows in order
  ASSERT_TRUE(run_until_found("a", 1));
  for (std::size_t i = before; i < watcher_->recent_hints().size(); ++i) {
    EXPECT_EQ(watcher_->recent_hints()[i].what, RawHint::What::changed);
  }
  EXPECT_LE(watcher_->recent_hints().size(), before + 2) << "opening and writing output.log, nothing else";
}

TEST_F(RequestHints, TimerReportsEachUnhintedChangeOnce) {
  limits_.reconcile_every = 20 * kMillisecondUs;
  const JobDir dir;
  dir.append("");
  watch("a", dir);
  ASSERT_TRUE(run_until_looked("a"));
  write(dir, "approval.json", "{}");
  ASSERT_TRUE(run_until([&] { return looked("a") == 2 && seen_["a"].requests.back() != std::nullopt; }));
  EXPECT_NE(seen_["a"].requests.back()->gate, 0u);
  const TimeUs now = watcher_->recent_hints().back().when;
  ASSERT_TRUE(run_until([&] {
    const auto hints = watcher_->recent_hints();
    return std::ranges::count_if(hints, [now](const RawHint& hint) {
             return hint.when > now && hint.what == RawHint::What::reconciled;
           }) >= 4;
  }));
  EXPECT_EQ(looked("a"), 2u) << "an unchanged file is not reported again";
  std::filesystem::remove(dir.path() + "/approval.json");
  EXPECT_TRUE(run_until([&] { return watcher_->requests("a") == RequestMarks{}; }));
}

TEST_F(RequestHints, FileWrittenJustBeforeTheEndIsReported) {
  const JobDir dir;
  dir.append("bye\n");
  watch("a", dir);
  ASSERT_TRUE(run_until_looked("a"));
  EXPECT_EQ(watcher_->requests("a"), RequestMarks{});
  write(dir, "clarification.json", "{}");
  ASSERT_TRUE(finish("a", 4));
  ASSERT_TRUE(watcher_->requests("a").has_value());
  EXPECT_NE(watcher_->requests("a")->question, 0u);
}

TEST_F(RequestHints, UnwatchedJobHasNoRequests) {
  const JobDir dir;
  watch("a", dir);
  EXPECT_EQ(watcher_->requests("b"), std::nullopt);
}

TEST_F(RequestHints, ReplacedDirectoryIsWatched) {
  limits_.reconcile_unhinted = 20 * kMillisecondUs;
  const JobDir dir;
  dir.append("");
  watch("a", dir);
  ASSERT_TRUE(run_until_looked("a"));
  std::filesystem::rename(dir.path(), dir.path() + ".old");
  std::filesystem::create_directory(dir.path());
  EXPECT_TRUE(run_until([&] {
    write(dir, "clarification.json", "{}");
    return hinted("a") > 0;
  }));
  std::filesystem::remove_all(dir.path() + ".old");
}

TEST_F(RequestHints, SilentJobsStaySilent) {
  constexpr std::size_t kJobs = 200;
  std::vector<JobDir> dirs(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) watch("job" + std::to_string(i), dirs[i]);
  ASSERT_TRUE(run_until([&] {
    return seen_.size() == kJobs &&
           std::ranges::all_of(seen_, [](auto& s) { return !s.second.requests.empty(); });
  }));
  for (const auto& [job, seen] : seen_) {
    EXPECT_EQ(seen.requests.size(), 1u) << job;
    EXPECT_EQ(seen.outputs, 0u) << job;
  }
  EXPECT_THAT(watcher_->recent_hints(), IsEmpty());
}

}  // namespace
}  // namespace luzia
