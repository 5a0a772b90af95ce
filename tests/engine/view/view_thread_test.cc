#include "engine/view/view_thread.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "projections/jobs.h"
#include "projections/registry.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

constexpr std::chrono::seconds kDeadline{60};

/// A store whose disk is full.
class FullStore : public MemoryViewStore {
 public:
  Status write(const RowBatch&, const ViewCursor&) override {
    return fail(ErrorKind::trouble, "views_failed", "no space left on device");
  }
};

/// A store that reports how far it was written.
class ToldStore : public MemoryViewStore {
 public:
  Status write(const RowBatch& rows, const ViewCursor& cursor) override {
    Status written = MemoryViewStore::write(rows, cursor);
    {
      const std::lock_guard lock(mutex_);
      position_ = cursor.position;
    }
    changed_.notify_all();
    return written;
  }
  /// Waits until it was written up to `position`.
  bool written(Position position) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, [&] { return position_ >= position; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Position position_ = 0;
};

class ViewThreadTest : public testing::Test {
 protected:
  std::shared_ptr<const Group> write(const std::string& job) {
    writer_.now += kSecondUs;
    writer_.add(queued(job, "p"));
    return writer_.commit();
  }
  static bool reached(ViewThread& thread, Position position) {
    auto told = std::make_shared<std::promise<void>>();
    thread.when_at(position, [told] { told->set_value(); });
    return told->get_future().wait_for(kDeadline) == std::future_status::ready;
  }

  MemoryEventLog log_;
  LogWriter writer_{log_};
  MemoryViewStore store_;
};

TEST_F(ViewThreadTest, RowsFollowTheGroupsThatAreAdded) {
  ViewThread thread(log_, all_projections(), store_);
  for (int i = 0; i < 50; ++i) {
    thread.add(write("k" + std::to_string(i)));
    if (i % 10 != 0) continue;
    ASSERT_TRUE(reached(thread, log_.tip().position));
    EXPECT_TRUE(find_job_row(*store_.snapshot(), "k" + std::to_string(i)));
    EXPECT_EQ(thread.position(), log_.tip().position);
  }
  EXPECT_TRUE(thread.status());
}

TEST_F(ViewThreadTest, RowsFollowWithoutWaiters) {
  ToldStore store;
  ViewThread thread(log_, all_projections(), store);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) thread.add(write("k" + std::to_string(5 * round + i)));
    ASSERT_TRUE(store.written(log_.tip().position));
  }
  EXPECT_EQ(store.snapshot()->cursor(), log_.tip());
}

TEST_F(ViewThreadTest, WaiterRunsWhenItsPositionIsReached) {
  ASSERT_TRUE(write("k0"));
  ASSERT_TRUE(catch_up(log_, all_projections(), store_));
  ViewThread thread(log_, all_projections(), store_);
  ASSERT_TRUE(reached(thread, 1));
  std::promise<Position> later;
  thread.when_at(3, [&] { later.set_value(thread.position()); });
  thread.add(write("k1"));
  ASSERT_TRUE(reached(thread, 2));
  auto at = later.get_future();
  EXPECT_EQ(at.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  thread.add(write("k2"));
  ASSERT_EQ(at.wait_for(kDeadline), std::future_status::ready);
  EXPECT_EQ(at.get(), 3U);
}

TEST_F(ViewThreadTest, SkippedGroupIsReadFromTheLog) {
  ViewThread thread(log_, all_projections(), store_);
  write("k0");
  write("k1");
  thread.add(write("k2"));
  ASSERT_TRUE(reached(thread, 3));
  EXPECT_TRUE(find_job_row(*store_.snapshot(), "k0"));
  EXPECT_TRUE(find_job_row(*store_.snapshot(), "k2"));
}

TEST_F(ViewThreadTest, BacklogWaitsInTheLogNotInMemory) {
  constexpr std::size_t kBound = 4096;
  constexpr int kGroups = 1500;  // more than one flush writes
  ViewThread thread(log_, all_projections(), store_, kBound);
  std::promise<void> let_go;
  thread.when_at(0, [held = let_go.get_future().share()] { held.wait(); });
  std::size_t told = 0;
  for (int i = 0; i < kGroups; ++i) {
    const auto group = write("k" + std::to_string(i));
    told += group->frames().size();
    thread.add(group);
    ASSERT_LE(thread.waiting_bytes(), kBound);
  }
  ASSERT_GT(told, 4 * kBound);
  let_go.set_value();
  ASSERT_TRUE(reached(thread, kGroups));
  EXPECT_EQ(thread.waiting_bytes(), 0U);
  EXPECT_EQ(store_.snapshot()->cursor(), log_.tip());
  for (const int i : {0, kGroups / 2, kGroups - 1}) {
    EXPECT_TRUE(find_job_row(*store_.snapshot(), "k" + std::to_string(i)));
  }
}

TEST_F(ViewThreadTest, AddedGroupsAreFoldedBeforeTheEnd) {
  {
    ViewThread thread(log_, all_projections(), store_);
    for (int i = 0; i < 20; ++i) thread.add(write("k" + std::to_string(i)));
  }
  EXPECT_EQ(store_.snapshot()->cursor(), log_.tip());
}

TEST_F(ViewThreadTest, FoldErrorReachesWaitersAndStays) {
  FullStore full;
  ViewThread thread(log_, all_projections(), full);
  thread.add(write("k0"));
  ASSERT_TRUE(reached(thread, 1));
  ASSERT_FALSE(thread.status());
  EXPECT_EQ(thread.status().error().code, "views_failed");
  EXPECT_EQ(thread.position(), 0U);
  ASSERT_TRUE(reached(thread, 99));
}

TEST_F(ViewThreadTest, ReadersOnOtherThreadsSeeWholeGroups) {
  ViewThread thread(log_, all_projections(), store_);
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      const auto rows = store_.snapshot();
      // Each group queues two jobs; readers must never see one without the other.
      const Position at = rows->cursor().position;
      EXPECT_EQ(at % 2, 0U);
      if (at == 0) continue;
      EXPECT_TRUE(find_job_row(*rows, "a" + std::to_string(at / 2)));
      EXPECT_TRUE(find_job_row(*rows, "b" + std::to_string(at / 2)));
    }
  });
  for (int i = 1; i <= 100; ++i) {
    writer_.add(queued("a" + std::to_string(i), "p"));
    writer_.add(queued("b" + std::to_string(i), "p"));
    thread.add(writer_.commit());
  }
  EXPECT_TRUE(reached(thread, 200));
  stop = true;
  reader.join();
}

}  // namespace
}  // namespace luzia::test
