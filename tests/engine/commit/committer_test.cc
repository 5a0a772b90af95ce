#include "engine/commit/committer.h"

#include "adapters/memory/memory_event_log.h"
#include "tests/engine/log/log_events.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kDeadline{60};

/// The outcomes that the committer reported, with functions that wait for them.
class Told {
 public:
  void operator()(CommitOutcome outcome) {
    std::lock_guard lock(mutex_);
    outcomes_.push_back(std::move(outcome));
    changed_.notify_all();
  }
  /// Waits until the group that ends at `position` is reported, or any failure.
  bool wait_for(Position position) {
    return wait(
        [&] { return !outcomes_.empty() && (!last().group || last().group->last_position() >= position); });
  }
  bool wait_for_failure() {
    return wait([&] { return !outcomes_.empty() && !last().group; });
  }
  std::vector<CommitOutcome> all() {
    std::lock_guard lock(mutex_);
    return outcomes_;
  }

 private:
  const CommitOutcome& last() const { return outcomes_.back(); }
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, condition);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CommitOutcome> outcomes_;
};

/// A log whose appends wait at a gate and whose calls are counted.
class GatedLog : public MemoryEventLog {
 public:
  Result<std::shared_ptr<const Group>> append(const PendingGroup& group) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
    return MemoryEventLog::append(group);
  }
  Status sync_watermark() override {
    std::lock_guard lock(mutex_);
    ++syncs_;
    synced_to_ = MemoryEventLog::tip().position;
    changed_.notify_all();
    if (sync_failure_) return tl::unexpected(*sync_failure_);
    return {};
  }
  void close_gate() {
    std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open_gate() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void fail_sync(Error error) {
    std::lock_guard lock(mutex_);
    sync_failure_ = std::move(error);
  }
  bool wait_until_appending() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, [&] { return waiting_ > 0; });
  }
  bool wait_until_synced(Position position) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, [&] { return synced_to_ >= position; });
  }
  int syncs() {
    std::lock_guard lock(mutex_);
    return syncs_;
  }
  Position synced_to() {
    std::lock_guard lock(mutex_);
    return synced_to_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int waiting_ = 0;
  int syncs_ = 0;
  Position synced_to_ = 0;
  std::optional<Error> sync_failure_;
};

class CommitterTest : public testing::Test {
 protected:
  void start() {
    committer_ =
        std::make_unique<Committer>(log_, [this](CommitOutcome outcome) { told_(std::move(outcome)); });
  }
  void add(std::uint32_t count, const std::string& note = "note") {
    for (std::uint32_t i = 0; i < count; ++i) {
      committer_->add(as_bytes(encoded_event(committer_->next_position(), note)));
    }
  }
  std::vector<std::size_t> group_sizes() {
    std::vector<std::size_t> sizes;
    for (const auto& outcome : told_.all())
      sizes.push_back(outcome.group ? outcome.group->events().size() : 0);
    return sizes;
  }
  GatedLog log_;
  Told told_;
  std::unique_ptr<Committer> committer_;
};

TEST_F(CommitterTest, FlushedEventsBecomeDurableAsOneGroup) {
  start();
  add(3);
  committer_->flush();
  ASSERT_TRUE(told_.wait_for(3));
  EXPECT_EQ(group_sizes(), std::vector<std::size_t>{3});
  EXPECT_EQ(told_.all()[0].first, 1U);
  EXPECT_EQ(log_.tip().position, 3U);
}

TEST_F(CommitterTest, ContinuesAfterTheLogsTip) {
  ASSERT_TRUE(append_groups(log_, 2, 2));
  start();
  EXPECT_EQ(committer_->next_position(), 5U);
  add(1);
  committer_->flush();
  ASSERT_TRUE(told_.wait_for(5));
  EXPECT_EQ(told_.all()[0].first, 5U);
}

TEST_F(CommitterTest, NothingIsWrittenBeforeFlush) {
  start();
  add(3);
  committer_.reset();
  EXPECT_EQ(log_.tip().position, 0U);
  EXPECT_TRUE(told_.all().empty());
}

TEST_F(CommitterTest, EmptyFlushReportsNothing) {
  start();
  committer_->flush();
  committer_->end_command();
  committer_->flush();
  committer_.reset();
  EXPECT_TRUE(told_.all().empty());
  EXPECT_EQ(log_.syncs(), 0);
}

TEST_F(CommitterTest, EventsDuringAWriteFormTheNextGroup) {
  start();
  log_.close_gate();
  add(1);
  committer_->flush();
  ASSERT_TRUE(log_.wait_until_appending());
  for (int i = 0; i < 5; ++i) {
    add(2);
    committer_->flush();
  }
  log_.open_gate();
  ASSERT_TRUE(told_.wait_for(11));
  EXPECT_EQ(group_sizes(), (std::vector<std::size_t>{1, 10}));
}

TEST_F(CommitterTest, EveryGroupIsReported) {
  start();
  Position last = 0;
  for (int i = 0; i < 500; ++i) {
    // After a group of three the thread sleeps until the next; after two small ones it may wait awake.
    const std::uint32_t count = i % 5 == 0 ? Committer::kSmallGroup + 1 : 1;
    add(count);
    committer_->flush();
    last += count;
    ASSERT_TRUE(told_.wait_for(last));
  }
  EXPECT_EQ(group_sizes().size(), 500U);
}

TEST(CommitterWait, SpinsOnlyAfterAQuickSmallGroup) {
  struct {
    std::uint32_t events;
    std::chrono::nanoseconds came_after;
    bool awake;
  } constexpr kCases[] = {
      {1, 0us, true},    {1, 199us, true}, {2, 199us, true},
      {1, 200us, false}, {1, 5ms, false},   // nobody is in a hurry
      {3, 10us, false},  {64, 0us, false},  // many clients
  };
  for (const auto& each : kCases) {
    EXPECT_EQ(Committer::waits_awake_after(each.events, each.came_after), each.awake)
        << each.events << " events after " << each.came_after.count() << " ns";
  }
}

TEST_F(CommitterTest, OutcomesFollowPositions) {
  start();
  for (int i = 0; i < 300; ++i) {
    add(1 + static_cast<std::uint32_t>(i % 3));
    committer_->flush();
  }
  const Position last = committer_->next_position() - 1;
  ASSERT_TRUE(told_.wait_for(last));
  Position expected = 1;
  for (const auto& outcome : told_.all()) {
    ASSERT_TRUE(outcome.group);
    EXPECT_EQ(outcome.first, expected);
    EXPECT_EQ(outcome.group->first_position(), expected);
    expected = outcome.group->last_position() + 1;
  }
  EXPECT_EQ(expected, last + 1);
}

TEST_F(CommitterTest, GroupsStayWithinTheEventLimit) {
  start();
  log_.close_gate();
  add(1);
  committer_->flush();
  ASSERT_TRUE(log_.wait_until_appending());
  add(kMaxGroupEvents * 2 + 5);
  committer_->flush();
  log_.open_gate();
  ASSERT_TRUE(told_.wait_for(kMaxGroupEvents * 2 + 6));
  EXPECT_EQ(group_sizes(), (std::vector<std::size_t>{1, kMaxGroupEvents, kMaxGroupEvents, 5}));
}

TEST_F(CommitterTest, GroupsStayWithinTheByteLimit) {
  start();
  add(100, std::string(200'000, 'x'));
  committer_->flush();
  ASSERT_TRUE(told_.wait_for(100));
  const auto outcomes = told_.all();
  EXPECT_EQ(outcomes.size(), 3U);
  for (const auto& outcome : outcomes) EXPECT_LE(outcome.group->frames().size(), kMaxGroupBytes);
}

TEST_F(CommitterTest, CommandIsNeverSplit) {
  start();
  log_.close_gate();
  add(1);
  committer_->flush();
  ASSERT_TRUE(log_.wait_until_appending());
  for (int i = 0; i < 3; ++i) {
    add(3000);
    committer_->end_command();
  }
  committer_->flush();
  log_.open_gate();
  ASSERT_TRUE(told_.wait_for(9001));
  EXPECT_EQ(group_sizes(), (std::vector<std::size_t>{1, 3000, 3000, 3000}));
}

TEST_F(CommitterTest, BlobsTravelWithTheirEvents) {
  start();
  const std::vector<Blob> texts = {
      {0, "salt", "before its event"}, {1, "salt", "after its event"}, {2, "salt", "after its command"}};
  committer_->add_blob(committer_->next_position(), texts[0]);
  committer_->add(as_bytes(event_with_texts(1, texts)));
  committer_->add_blob(1, texts[1]);
  committer_->end_command();
  committer_->add_blob(1, texts[2]);
  committer_->flush();
  ASSERT_TRUE(told_.wait_for(1));
  EXPECT_EQ(log_.blob(1, 0), "before its event");
  EXPECT_EQ(log_.blob(1, 1), "after its event");
  EXPECT_EQ(log_.blob(1, 2), "after its command");
}

TEST_F(CommitterTest, BlobsFollowTheirEventsIntoTheNextGroup) {
  start();
  for (std::uint32_t i = 0; i < 20; ++i) {
    const Position position = committer_->next_position();
    const Blob text{0, "salt", std::string(1'000'000, static_cast<char>('a' + i))};
    committer_->add_blob(position, text);
    committer_->add(as_bytes(event_with_texts(position, {text})));
    committer_->end_command();
  }
  committer_->flush();
  ASSERT_TRUE(told_.wait_for(20));
  EXPECT_GE(told_.all().size(), 3U);
  for (Position position = 1; position <= 20; ++position) {
    auto blob = log_.blob(position, 0);
    ASSERT_TRUE(blob);
    EXPECT_EQ(*blob, std::string(1'000'000, static_cast<char>('a' + position - 1)));
  }
}

TEST_F(CommitterTest, FailureIsReportedOnceAndStopsWriting) {
  start();
  add(2);
  committer_->flush();
  ASSERT_TRUE(told_.wait_for(2));
  log_.fail_next_append({ErrorKind::trouble, "disk_full", "no space", ""});
  for (int i = 0; i < 10; ++i) {
    add(1);
    committer_->flush();
  }
  ASSERT_TRUE(told_.wait_for_failure());
  add(1);
  committer_->flush();
  committer_.reset();
  const auto outcomes = told_.all();
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[1].group, nullptr);
  EXPECT_EQ(outcomes[1].first, 3U);
  EXPECT_EQ(outcomes[1].error.code, "disk_full");
  EXPECT_EQ(log_.tip().position, 2U);
}

TEST_F(CommitterTest, RefusedGroupIsAFailure) {
  start();
  add(1, std::string(kMaxEventBytes, 'x'));
  committer_->flush();
  ASSERT_TRUE(told_.wait_for_failure());
  EXPECT_EQ(told_.all()[0].error.code, "event_too_large");
}

TEST_F(CommitterTest, DestructorWritesWhatWasFlushed) {
  start();
  log_.close_gate();
  add(1);
  committer_->flush();
  ASSERT_TRUE(log_.wait_until_appending());
  add(kMaxGroupEvents + 1);
  committer_->flush();
  log_.open_gate();
  committer_.reset();
  EXPECT_EQ(log_.tip().position, kMaxGroupEvents + 2);
  EXPECT_EQ(log_.synced_to(), kMaxGroupEvents + 2) << "the watermark is durable at the end";
}

TEST_F(CommitterTest, WatermarkIsMadeDurableOnceWhenIdle) {
  start();
  add(1);
  committer_->flush();
  ASSERT_TRUE(log_.wait_until_synced(1));
  add(1);
  committer_->flush();
  ASSERT_TRUE(log_.wait_until_synced(2));
  committer_.reset();
  EXPECT_EQ(log_.syncs(), 2) << "nothing new, nothing to sync";
}

TEST_F(CommitterTest, WatermarkIsMadeDurableUnderLoad) {
  start();
  // Never idle: the next group is queued before the last one is done.
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (log_.syncs() < 3 && std::chrono::steady_clock::now() < deadline) {
    add(1);
    committer_->flush();
  }
  EXPECT_GE(log_.syncs(), 3);
}

TEST_F(CommitterTest, FailedWatermarkSyncIsAFailure) {
  start();
  log_.fail_sync({ErrorKind::trouble, "watermark_failed", "no", ""});
  add(1);
  committer_->flush();
  ASSERT_TRUE(told_.wait_for_failure());
  add(1);
  committer_->flush();
  committer_.reset();
  const auto outcomes = told_.all();
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[1].first, 2U);
  EXPECT_EQ(outcomes[1].error.code, "watermark_failed");
  EXPECT_EQ(log_.tip().position, 1U);
}

}  // namespace
}  // namespace luzia::test
