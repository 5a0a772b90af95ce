#include <mutex>
#include <set>
#include <thread>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/registry.h"
#include "tests/matchers.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

constexpr ProjectionInfo kFirstVersion{200, 1, "positions", ViewKind::report};
constexpr ProjectionInfo kSecondVersion{200, 2, "positions", ViewKind::report};

/// Stores each event's position as a row; version 2 stores it in words.
class Positions : public Projection {
 public:
  explicit Positions(const ProjectionInfo& info) : info_(info) {}
  std::vector<ProjectionInfo> views() const override { return {info_}; }
  void fold(const schema::Event& event) override {
    changed_.emplace_back(row_key(info_, big_endian_64(event.position())), std::string(event_type(event)));
  }
  void flush(RowBatch& batch) override {
    for (const auto& [key, value] : changed_) batch.add(key, value);
    changed_.clear();
  }

 private:
  ProjectionInfo info_;
  std::vector<std::pair<std::string, std::string>> changed_;
};
// NOLINTBEGIN(performance-unnecessary-value-param): the type of a factory
const ProjectionRegistry kVersion1 = {[](ViewReaderSource) -> std::unique_ptr<Projection> {
  return std::make_unique<Positions>(kFirstVersion);
}};
const ProjectionRegistry kVersion2 = {[](ViewReaderSource) -> std::unique_ptr<Projection> {
  return std::make_unique<Positions>(kSecondVersion);
}};
// NOLINTEND(performance-unnecessary-value-param)

std::size_t rows_of(const ViewStore& store, const ProjectionInfo& info) {
  std::size_t count = 0;
  store.snapshot()->scan(row_key(info, ""), row_end(info), [&](auto, auto) { return ++count > 0; });
  return count;
}

class CatchUp : public testing::Test {
 protected:
  void write(int events, const std::string& project = "p") {
    for (int i = 0; i < events; ++i) {
      writer_.write(kSecondUs, queued("k" + std::to_string(next_++), project));
    }
  }
  MemoryEventLog log_;
  LogWriter writer_{log_};
  int next_ = 0;
  MemoryViewStore store_;
};

TEST_F(CatchUp, FoldsOnlyMissingEvents) {
  write(3);
  ASSERT_TRUE(catch_up(log_, kVersion1, store_));
  EXPECT_EQ(store_.snapshot()->cursor(), log_.tip());
  // Deletes a row that only a second fold of the same events would restore.
  ASSERT_TRUE(store_.write({{row_key(kFirstVersion, big_endian_64(2)), std::nullopt}}, log_.tip()));
  write(2);
  std::vector<Position> done;
  ASSERT_TRUE(
      catch_up(log_, kVersion1, store_, ~Position{0}, [&](FoldProgress p) { done.push_back(p.done); }));
  EXPECT_EQ(rows_of(store_, kFirstVersion), 4U);
  EXPECT_THAT(done, ElementsAre(5U));
}

TEST_F(CatchUp, StopsAtTheGivenPositionInsideAGroup) {
  for (int i = 0; i < 4; ++i) writer_.add(queued("k" + std::to_string(i), "p"));
  writer_.commit();
  ASSERT_TRUE(catch_up(log_, kVersion1, store_, 3));
  EXPECT_EQ(rows_of(store_, kFirstVersion), 3U);
  EXPECT_EQ(store_.snapshot()->cursor().position, 3U);
  EXPECT_EQ(cursor_matches(log_, store_.snapshot()->cursor()), false);
}

TEST_F(CatchUp, RowsOfAnotherLogAreDropped) {
  write(3);
  ASSERT_TRUE(catch_up(log_, kVersion1, store_));
  MemoryEventLog other;
  LogWriter writer(other);
  for (int i = 0; i < 5; ++i) writer.write(kSecondUs, queued("other", "q"));
  ASSERT_EQ(cursor_matches(other, store_.snapshot()->cursor()), false);
  ASSERT_TRUE(catch_up(other, kVersion1, store_));
  EXPECT_EQ(rows_of(store_, kFirstVersion), 5U);
  EXPECT_EQ(store_.snapshot()->cursor(), other.tip());
}

TEST_F(CatchUp, RowsBeyondTheLogsEndAreDropped) {
  MemoryEventLog shorter;
  LogWriter writer(shorter);
  writer.write(kSecondUs, queued("k0", "p"));
  write(3);
  ASSERT_TRUE(catch_up(log_, kVersion1, store_));
  ASSERT_TRUE(catch_up(shorter, kVersion1, store_));
  EXPECT_EQ(rows_of(store_, kFirstVersion), 1U);
  EXPECT_EQ(store_.snapshot()->cursor(), shorter.tip());
}

TEST_F(CatchUp, NewViewVersionIsRebuilt) {
  write(3);
  ASSERT_TRUE(catch_up(log_, kVersion1, store_));
  ASSERT_TRUE(catch_up(log_, kVersion2, store_));
  EXPECT_EQ(rows_of(store_, kFirstVersion), 0U);
  EXPECT_EQ(rows_of(store_, kSecondVersion), 3U);
  write(1);
  ASSERT_TRUE(catch_up(log_, kVersion2, store_));
  EXPECT_EQ(rows_of(store_, kSecondVersion), 4U);
}

TEST_F(CatchUp, BatchSizeDoesNotChangeRows) {
  while (log_.tip().position < 20'000) {
    for (int i = 0; i < 100; ++i) writer_.add(queued("k" + std::to_string(next_++), "p"));
    writer_.commit();
  }
  MemoryViewStore few;
  Fold fold(all_projections(), few);
  const auto groups = log_.read_from(1);
  while (auto group = groups->next().value()) {
    fold.apply(*group);
    ASSERT_TRUE(fold.flush());
  }
  FoldProgress told;
  ASSERT_TRUE(catch_up(log_, all_projections(), store_, ~Position{0}, [&](FoldProgress now) { told = now; }));
  EXPECT_THAT(compare_rows(*store_.snapshot(), *few.snapshot()), IsEmpty());
  EXPECT_EQ(store_.snapshot()->cursor(), log_.tip());
  EXPECT_EQ(store_.snapshot()->get(kViewsKey), few.snapshot()->get(kViewsKey));
  EXPECT_EQ(told.done, log_.tip().position);
  EXPECT_GT(told.bytes, 0U);
}

/// Records whether it was told to expect many events.
class ExpectingStore : public MemoryViewStore {
 public:
  Status expect_many(bool many) override {
    told.push_back(many);
    return {};
  }
  std::vector<bool> told;
};

TEST_F(CatchUp, AnnouncesManyEventsAndTheirEnd) {
  while (log_.tip().position < 60'000) {
    for (int i = 0; i < 1'000; ++i) writer_.add(queued("k" + std::to_string(next_++), "p"));
    writer_.commit();
  }
  ExpectingStore all, stopped;
  ASSERT_TRUE(catch_up(log_, kVersion1, all));
  EXPECT_THAT(all.told, ElementsAre(true, false));
  write(3);
  ASSERT_TRUE(catch_up(log_, kVersion1, all));
  EXPECT_THAT(all.told, ElementsAre(true, false)) << "three events are not many";

  std::stop_source stop;
  const Status folded = catch_up(
      log_, kVersion1, stopped, ~Position{0}, [&](FoldProgress) { stop.request_stop(); }, stop.get_token());
  ASSERT_FALSE(folded);
  EXPECT_EQ(folded.error().code, "cancelled");
  EXPECT_THAT(stopped.told, ElementsAre(true, false));

  ExpectingStore one;
  ASSERT_TRUE(catch_up(log_, kVersion1, one, ~Position{0}, {}, {}, FoldThreads::one));
  EXPECT_THAT(one.told, IsEmpty()) << "several folds at once would need too much memory";
}

/// Records the threads that ask for its groups.
class WatchedLog : public MemoryEventLog {
 public:
  std::unique_ptr<GroupCursor> read_from(Position first) const override {
    const std::lock_guard lock(readers_mutex_);
    readers_.insert(std::this_thread::get_id());
    return MemoryEventLog::read_from(first);
  }
  std::set<std::thread::id> readers() const {
    const std::lock_guard lock(readers_mutex_);
    return readers_;
  }

 private:
  mutable std::mutex readers_mutex_;
  mutable std::set<std::thread::id> readers_;  // guarded by readers_mutex_
};

TEST(CatchUpOnOneThread, GivesTheSameRows) {
  WatchedLog log;
  LogWriter writer(log);
  for (int i = 0; i < 20'000; ++i) {
    writer.add(queued("k" + std::to_string(i), "p"));
    if (i % 100 == 99) writer.commit();
  }
  MemoryViewStore one, several;
  constexpr Position kInsideAGroup = 19'950;
  ASSERT_TRUE(catch_up(log, all_projections(), one, kInsideAGroup, {}, {}, FoldThreads::one));
  EXPECT_THAT(log.readers(), ElementsAre(std::this_thread::get_id()));
  ASSERT_TRUE(catch_up(log, all_projections(), several, kInsideAGroup));
  EXPECT_THAT(compare_rows(*one.snapshot(), *several.snapshot()), IsEmpty());
  EXPECT_EQ(one.snapshot()->cursor(), several.snapshot()->cursor());
  EXPECT_EQ(one.snapshot()->get(kViewsKey), several.snapshot()->get(kViewsKey));
}

TEST_F(CatchUp, StopsAtTheGivenPositionAmongMany) {
  for (int i = 0; i < 3'000; ++i) writer_.add(queued("k" + std::to_string(i), "p"));
  writer_.commit();
  ASSERT_TRUE(catch_up(log_, all_projections(), store_, 2'500));
  EXPECT_EQ(store_.snapshot()->cursor(), (ViewCursor{2'500, Hash{}}));
  MemoryViewStore few;
  Fold fold(all_projections(), few);
  for (Position until = 100; until <= 2'500; until += 100) {
    fold.apply(*log_.read_from(1)->next().value(), until);
    ASSERT_TRUE(fold.flush());
  }
  EXPECT_THAT(compare_rows(*store_.snapshot(), *few.snapshot()), IsEmpty());
}

TEST_F(CatchUp, AnEmptyLogLeavesAnEmptyStore) {
  ASSERT_TRUE(catch_up(log_, all_projections(), store_));
  EXPECT_EQ(store_.snapshot()->cursor(), ViewCursor{});
}

TEST(CompareRows, NamesEachKindOfDifferenceAndAtMostTen) {
  MemoryViewStore left, right;
  RowBatch many;
  for (int i = 0; i < 2000; ++i) many.add("\x05\x01" + std::to_string(10000 + i), "same");
  ASSERT_TRUE(left.write(many, {}));
  ASSERT_TRUE(right.write(many, {}));
  EXPECT_THAT(compare_rows(*left.snapshot(), *right.snapshot()), IsEmpty());
  ASSERT_TRUE(left.write({{"\x05\x01"
                           "11999",
                           "samX"},
                          {"\x05\x01"
                           "a\x02",
                           "1"}},
                         {}));
  ASSERT_TRUE(right.write({{"\x06\x01"
                            "b",
                            "1"}},
                          {}));
  EXPECT_THAT(compare_rows(*left.snapshot(), *right.snapshot()),
              ElementsAre("view 5, key 11999: 4 and 4 bytes, different from byte 3 on",
                          "view 5, key a\\x02: only on the left", "view 6, key b: only on the right"));
  ASSERT_TRUE(right.clear());
  EXPECT_EQ(compare_rows(*left.snapshot(), *right.snapshot()).size(), 10U);
}

TEST(Registry, ViewsHaveTheirOwnIdsAndCoreComesFirst) {
  std::set<std::uint8_t> ids;
  bool report = false;
  for (const ProjectionFactory make : all_projections()) {
    const std::vector<ProjectionInfo> views = list_views({make});
    for (const ProjectionInfo& info : views) {
      EXPECT_TRUE(ids.insert(info.id).second) << info.name;
      EXPECT_NE(info.id, 0);
    }
    const bool core = views.front().kind == ViewKind::core;
    report = report || !core;
    EXPECT_EQ(!core, report) << views.front().name;
  }
  EXPECT_GE(ids.size(), 8U);
}

}  // namespace
}  // namespace luzia::test
