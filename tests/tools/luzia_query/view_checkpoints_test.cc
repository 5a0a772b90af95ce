// Checkpoints of rows: results for the past are the same with and without them, and their number stays small.
#include "engine/view/view_checkpoints.h"

#include <filesystem>

#include "tests/matchers.h"
#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

TEST(ViewCheckpoints, AreSparserFurtherBack) {
  EXPECT_THAT(superfluous_checkpoints({}), IsEmpty());
  EXPECT_THAT(superfluous_checkpoints({100, 200}, 2), IsEmpty());
  EXPECT_THAT(superfluous_checkpoints({100, 200, 300, 400, 500, 600, 700, 800}, 2),
              ElementsAre(200, 300, 500));
  EXPECT_THAT(superfluous_checkpoints({100, 200, 300, 400, 500, 600, 700, 800}), IsEmpty());
  std::vector<Position> kept;
  for (Position position = 100; position <= 1'000'000; position += 100) {
    kept.push_back(position);
    for (const Position gone : superfluous_checkpoints(kept)) std::erase(kept, gone);
  }
  EXPECT_LT(kept.size(), 30u + kNewestCheckpoints) << "10,000 were made";
  for (std::size_t i = 1; i < kept.size(); ++i) {
    EXPECT_LE(kept[i] - kept[i - 1], (1'000'000 - kept[i - 1]) * 3 / 4 + 200) << "a hole before " << kept[i];
  }
}

TEST(ViewCheckpoints, LeastMissedCheckpointIsFound) {
  EXPECT_EQ(least_missed_checkpoint({100, 200, 300}), 100u);
  EXPECT_EQ(least_missed_checkpoint({500, 510, 900, 1000}), 510u) << "the newest two stay";
  EXPECT_EQ(least_missed_checkpoint({100, 200, 300, 400, 500}), 100u);
}

class CheckpointedStore : public testing::Test {
 protected:
  /// Folds the rows again, with a checkpoint after every `every` events.
  void fold(Position every) {
    const auto log = full_.store().open_log();
    auto opened = open_rocks_view_store(path("views"), OpenMode::read_write);
    ASSERT_TRUE(opened);
    ASSERT_TRUE(opened->store->clear());
    ViewCheckpoints checkpoints(full_.store().path(), *log, all_projections(), opened->copy,
                                {.every = every, .room_to_leave = 0});
    for (Position until = 1; until <= log->tip().position; ++until) {
      ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, until));
      const Status made = checkpoints.reached(until);
      ASSERT_TRUE(made) << made.error().message;
    }
  }
  std::string path(const std::string& name) const { return full_.store().path() + "/" + name; }
  std::vector<std::string> answers() {
    std::vector<std::string> told;
    for (Position at = 1; at <= 35; at += 3) {
      for (const char* what : {"jobs", "issues", "flows", "tools", "cost", "queue"}) {
        std::vector<std::string> words = {what, "--at", std::to_string(at), "--json"};
        if (what == std::string("jobs") || what == std::string("flows")) words.emplace_back("--all");
        told.push_back(ask(full_.store(), words).out);
      }
    }
    return told;
  }

  FullStore full_;
};

TEST_F(CheckpointedStore, CheckpointsDoNotChangeThePast) {
  const auto without = answers();
  fold(10);
  EXPECT_THAT(list_checkpoints(full_.store().path()), ElementsAre(10, 20, 30));
  EXPECT_EQ(answers(), without);
}

TEST_F(CheckpointedStore, SkipsCheckpointsSuperfluousAtTheEnd) {
  const auto log = full_.store().open_log();
  auto opened = open_rocks_view_store(path("views"), OpenMode::read_write);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(opened->store->clear());
  int copies = 0;
  const auto count = [&](const std::string& folder) {
    ++copies;
    return opened->copy(folder);
  };
  ViewCheckpoints checkpoints(full_.store().path(), *log, all_projections(), count,
                              {.every = 1, .room_to_leave = 0});
  constexpr Position kEnd = 100;
  for (Position until = 1; until <= 35; ++until) {
    ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, until));
    ASSERT_TRUE(checkpoints.reached(until, kEnd));
  }
  // (34 - 1) * 2 >= 100 - 34.
  EXPECT_THAT(list_checkpoints(full_.store().path()), ElementsAre(1, 34));
  EXPECT_EQ(copies, 2);
  EXPECT_THAT(superfluous_checkpoints({1, 34, kEnd}, 1), IsEmpty());
  EXPECT_THAT(superfluous_checkpoints({1, 33, kEnd}, 1), ElementsAre(33));

  // Checkpoints of other views are then removed and do not count.
  for (const Position position : {1, 10, 20, 34}) {
    std::filesystem::remove_all(path("views-" + std::to_string(position)));
    std::filesystem::create_directory(path("views-" + std::to_string(position)));
  }
  ASSERT_TRUE(opened->store->clear());
  ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, 30));
  ViewCheckpoints anew(full_.store().path(), *log, all_projections(), count,
                       {.every = 1, .room_to_leave = 0});
  ASSERT_TRUE(anew.reached(30, kEnd));
  EXPECT_THAT(list_checkpoints(full_.store().path()), ElementsAre(30));

  constexpr Position kNear = 36;
  remove_checkpoints(full_.store().path());
  ViewCheckpoints near_the_end(full_.store().path(), *log, all_projections(), count,
                               {.every = 1, .room_to_leave = 0});
  for (Position until = 1; until <= 35; ++until) {
    ASSERT_TRUE(opened->store->clear());
    ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, until));
    ASSERT_TRUE(near_the_end.reached(until, kNear));
  }
  const auto made = list_checkpoints(full_.store().path());
  ASSERT_GT(made.size(), 3u);
  EXPECT_THAT(std::vector(made.begin(), made.begin() + 3), ElementsAre(1, 13, 16))
      << "the newest are all kept";
  EXPECT_EQ(made.back(), 35u);
}

TEST_F(CheckpointedStore, NewestEarlierCheckpointIsUsed) {
  fold(10);
  const auto log = full_.store().open_log();
  EXPECT_EQ(open_checkpoint(full_.store().path(), *log, all_projections(), 9), nullptr);
  EXPECT_EQ(open_checkpoint(full_.store().path(), *log, all_projections(), 29)->cursor().position, 20u);
  EXPECT_EQ(open_checkpoint(full_.store().path(), *log, all_projections(), 35)->cursor().position, 30u);
  // A damaged or truncated checkpoint is skipped.
  std::filesystem::remove(path("views-30/CURRENT"));
  EXPECT_EQ(open_checkpoint(full_.store().path(), *log, all_projections(), 35)->cursor().position, 20u);
}

TEST_F(CheckpointedStore, CheckpointsTakeBoundedSpace) {
  const auto log = full_.store().open_log();
  auto opened = open_rocks_view_store(path("views"), OpenMode::read_write);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(opened->store->clear());
  ViewCheckpoints checkpoints(full_.store().path(), *log, all_projections(), opened->copy,
                              {.every = 1, .room_to_leave = 0, .room_of_all = 0, .times_rows = 0});
  for (Position until = 1; until <= 8; ++until) {
    ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, until));
    ASSERT_TRUE(checkpoints.reached(until));
  }
  EXPECT_GT(bytes_of_checkpoints(full_.store().path()), 0u);
  EXPECT_THAT(list_checkpoints(full_.store().path()), ElementsAre(7, 8)) << "the newest two stay";
}

TEST_F(CheckpointedStore, CheckpointHasTheRowsCurrentPosition) {
  const auto log = full_.store().open_log();
  auto opened = open_rocks_view_store(path("views"), OpenMode::read_write);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(opened->store->clear());
  const auto copy_later = [&](const std::string& folder) {
    EXPECT_TRUE(catch_up(*log, all_projections(), *opened->store, 14));
    return opened->copy(folder);
  };
  ViewCheckpoints checkpoints(full_.store().path(), *log, all_projections(), copy_later,
                              {.every = 10, .room_to_leave = 0});
  ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, 11));
  ASSERT_TRUE(checkpoints.reached(11));
  EXPECT_THAT(list_checkpoints(full_.store().path()), ElementsAre(14));
  EXPECT_EQ(open_checkpoint(full_.store().path(), *log, all_projections(), 13), nullptr)
      << "its rows have a later position";
  EXPECT_EQ(checkpoints.next(), 20u);
}

TEST_F(CheckpointedStore, RebuiltRowsDropOldCheckpoints) {
  fold(10);
  ASSERT_EQ(ask(full_.store(), {"replay", "--rebuild"}).code, 0);
  EXPECT_THAT(list_checkpoints(full_.store().path()), IsEmpty());
}

TEST_F(CheckpointedStore, CheckpointsOfAnotherLogAreRemoved) {
  fold(10);
  const SmallStore other;
  const auto log = other.open_log();
  for (const char* name : {"/views-10", "/views-30"}) {
    std::filesystem::copy(full_.store().path() + name, other.path() + name);
  }
  std::filesystem::create_directory(other.path() + "/views-tmp.77abcd");
  EXPECT_EQ(open_checkpoint(other.path(), *log, all_projections(), 17)->cursor().position, 10u)
      << "so far both logs are the same";
  auto opened = open_rocks_view_store(other.path() + "/views", OpenMode::read_write);
  ASSERT_TRUE(opened);
  ViewCheckpoints checkpoints(other.path(), *log, all_projections(), opened->copy,
                              {.every = 5, .room_to_leave = 0});
  ASSERT_TRUE(checkpoints.reached(17));
  EXPECT_THAT(list_checkpoints(other.path()), ElementsAre(10, 17));
  remove_half_made_checkpoints(other.path());
  EXPECT_FALSE(std::filesystem::exists(other.path() + "/views-tmp.77abcd"));
}

}  // namespace
}  // namespace luzia::test
