// A store with valid checksums that someone has changed: every edited, dropped, inserted or moved event is
// detected and named.
#include "engine/log/verify_chain.h"

#include <rocksdb/db.h>

#include "engine/log/rocks_log_db.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

/// Ten groups of two events: 1-2, 3-4, ... 19-20.
class TamperedStore : public testing::Test {
 protected:
  TamperedStore() {
    EXPECT_TRUE(append_groups(*opened_store(store_.path()), 10, 2));
    opened_store(store_.path()).reset();  // recovery moves everything into tables
  }
  /// Changes the raw rows.
  template <class Change>
  void tamper(Change change) {
    auto db = RocksLogDb::open(store_.path() + "/log", OpenMode::read_write, nullptr);
    ASSERT_TRUE(db);
    change(**db);
    ASSERT_TRUE((*db)->db().Flush({}, (*db)->groups()).ok());
  }
  static std::string row(RocksLogDb& db, Position position) {
    std::string value;
    EXPECT_TRUE(db.db().Get({}, db.groups(), position_key(position), &value).ok());
    return value;
  }
  static void put(RocksLogDb& db, Position position, const std::string& value) {
    EXPECT_TRUE(db.db().Put({}, db.groups(), position_key(position), value).ok());
  }
  /// The error of opening for reading, or else of walking the chain.
  Error found() const {
    auto log = open_store(store_.path(), OpenMode::read_only);
    if (!log) return log.error();
    auto report = verify_chain(**log);
    return report ? Error{ErrorKind::trouble, "nothing found", "", ""} : report.error();
  }
  void expect_found_at(Position position) const {
    const Error error = found();
    EXPECT_EQ(error.code, "log_corrupt") << error.message;
    EXPECT_THAT(error.message, HasSubstr("position " + std::to_string(position)));
  }
  TempStore store_;
};

TEST_F(TamperedStore, UntouchedStoreIsValid) {
  EXPECT_EQ(found().code, "nothing found");
}

TEST_F(TamperedStore, EditedEventIsNamed) {
  tamper([](RocksLogDb& db) {
    const auto chain = Group::stored_chain(as_bytes(row(db, 7)));
    put(db, 7, Group::encode(group_of(7, 2, "edited"), *chain));
  });
  expect_found_at(7);
}

TEST_F(TamperedStore, RehashedEditIsFoundByTheNextGroup) {
  tamper([](RocksLogDb& db) {
    const auto before = Group::stored_chain(as_bytes(row(db, 5)));
    const auto edited = group_of(7, 2, "edited");
    put(db, 7, Group::encode(edited, chain_hash(*before, 7, 2, edited.frames())));
  });
  expect_found_at(9);
}

TEST_F(TamperedStore, DroppedGroupIsNamed) {
  tamper([](RocksLogDb& db) { ASSERT_TRUE(db.db().Delete({}, db.groups(), position_key(7)).ok()); });
  expect_found_at(7);
}

TEST_F(TamperedStore, DroppedFirstGroupIsNamed) {
  tamper([](RocksLogDb& db) { ASSERT_TRUE(db.db().Delete({}, db.groups(), position_key(1)).ok()); });
  expect_found_at(1);
}

TEST_F(TamperedStore, WatermarkRevealsADroppedLastGroup) {
  tamper([](RocksLogDb& db) { ASSERT_TRUE(db.db().Delete({}, db.groups(), position_key(19)).ok()); });
  EXPECT_EQ(found().code, "log_shorter_than_watermark");
}

TEST_F(TamperedStore, InsertedGroupIsNamed) {
  tamper([](RocksLogDb& db) { put(db, 8, Group::encode(group_of(8, 1), Hash{})); });
  const Error error = found();
  EXPECT_EQ(error.code, "log_corrupt");
  EXPECT_THAT(error.message, HasSubstr("position 9"));
}

TEST_F(TamperedStore, AppendedGroupWithoutItsHashIsNamed) {
  tamper([](RocksLogDb& db) { put(db, 21, Group::encode(group_of(21, 1), Hash{})); });
  expect_found_at(21);
}

TEST_F(TamperedStore, HoleInTheWriteAheadLogIsRefusedAtOpening) {
  {
    auto db = RocksLogDb::open(store_.path() + "/log", OpenMode::read_write, nullptr);
    ASSERT_TRUE(db);
    put(**db, 25, Group::encode(group_of(25, 1), Hash{}));
  }
  auto log = open_store(store_.path());
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, "log_corrupt");
  EXPECT_THAT(log.error().message, HasSubstr("21 to 24 are missing"));
}

TEST_F(TamperedStore, SwappedGroupsAreNamed) {
  tamper([](RocksLogDb& db) {
    const std::string seven = row(db, 7), nine = row(db, 9);
    put(db, 7, nine);
    put(db, 9, seven);
  });
  expect_found_at(7);
}

TEST_F(TamperedStore, RowOfAnotherFormatNeedsANewerProgram) {
  tamper([](RocksLogDb& db) {
    std::string value = row(db, 7);
    value[3] = '2';
    put(db, 7, value);
  });
  EXPECT_EQ(found().code, "store_format");
}

TEST_F(TamperedStore, ColumnFamilyOfANewerProgramIsRefused) {
  tamper([](RocksLogDb& db) {
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    ASSERT_TRUE(db.db().CreateColumnFamily({}, "novelties", &handle).ok());
    ASSERT_TRUE(db.db().DestroyColumnFamilyHandle(handle).ok());
  });
  EXPECT_EQ(found().code, "store_format");
  EXPECT_EQ(open_store(store_.path()).error().code, "store_format");
}

TEST(VerifyChain, ReportsProgress) {
  TempStore store;
  const auto log = opened_store(store.path());
  ASSERT_TRUE(append_groups(*log, 4, 3));
  std::vector<Position> seen;
  ASSERT_TRUE(verify_chain(*log, [&](Position position) { seen.push_back(position); }));
  EXPECT_EQ(seen, (std::vector<Position>{3, 6, 9, 12}));
}

TEST_F(TamperedStore, WalkStopsWithinAGroup) {
  std::stop_source stop;
  Position reached = 0;
  const auto log = opened_store(store_.path(), OpenMode::read_only);
  const auto report = verify_chain(
      *log,
      [&](Position position) {
        reached = position;
        if (position >= 6) stop.request_stop();
      },
      stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "cancelled");
  EXPECT_EQ(reached, 6U);
}

}  // namespace
}  // namespace luzia::test
