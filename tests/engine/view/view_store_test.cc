// The contract of every store of rows: in memory, in memory over a reader, RocksDB.
#include <gtest/gtest.h>

#include "adapters/memory/memory_view_store.h"
#include "engine/view/rocks_view_store.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

ViewCursor cursor_at(Position position) {
  ViewCursor cursor;
  cursor.position = position;
  cursor.chain.fill(static_cast<std::uint8_t>(position));
  return cursor;
}

Rows scan(const ViewReader& reader, std::string_view from = "", std::string_view to = "\xff") {
  Rows rows;
  reader.scan(from, to, [&](std::string_view key, std::string_view value) {
    if (key[0] != '\0') rows.emplace_back(key, value);
    return true;
  });
  return rows;
}

Rows scan_back(const ViewReader& reader, std::string_view from = "", std::string_view to = "\xff") {
  Rows rows;
  reader.scan_back(from, to, [&](std::string_view key, std::string_view value) {
    if (key[0] != '\0') rows.emplace_back(key, value);
    return true;
  });
  return rows;
}

struct MakeMemory {
  std::unique_ptr<ViewStore> operator()() { return std::make_unique<MemoryViewStore>(); }
};
struct MakeOverlay {
  MemoryViewStore beneath;
  std::unique_ptr<ViewStore> operator()() {
    // A row underneath that clear() must hide, because the contract starts with an empty store.
    EXPECT_TRUE(beneath.write({{"b1", "old"}, {"zz", "old"}}, cursor_at(1)));
    auto store = std::make_unique<OverlayStore>(std::shared_ptr<const ViewReader>(beneath.snapshot()));
    EXPECT_TRUE(store->write({{"b1", std::nullopt}, {"zz", std::nullopt}}, {}));
    return store;
  }
};
struct MakeRocks {
  TempStore folder;
  std::unique_ptr<ViewStore> operator()() {
    auto opened = open_rocks_view_store(folder.beside("views"), OpenMode::read_write);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(opened->store);
  }
};

template <class Make>
class ViewStoreContract : public testing::Test {
 protected:
  Make make_;
  std::unique_ptr<ViewStore> store_ = make_();
};
using Makers = testing::Types<MakeMemory, MakeOverlay, MakeRocks>;
TYPED_TEST_SUITE(ViewStoreContract, Makers);

TYPED_TEST(ViewStoreContract, StartsEmptyAtTheBeginningOfTheLog) {
  const auto rows = this->store_->snapshot();
  EXPECT_EQ(rows->cursor(), ViewCursor{});
  EXPECT_EQ(rows->get("b1"), std::nullopt);
  EXPECT_EQ(scan(*rows), Rows{});
}

TYPED_TEST(ViewStoreContract, WritesRowsAndCursorTogether) {
  ASSERT_TRUE(this->store_->write({{"b1", "one"}, {"b2", "two"}}, cursor_at(7)));
  ASSERT_TRUE(this->store_->write({{"b1", "uno"}, {"b2", std::nullopt}, {"b3", ""}}, cursor_at(8)));
  const auto rows = this->store_->snapshot();
  EXPECT_EQ(rows->get("b1"), "uno");
  EXPECT_EQ(rows->get("b2"), std::nullopt);
  EXPECT_EQ(rows->get("b3"), "");
  EXPECT_EQ(rows->cursor(), cursor_at(8));
}

TYPED_TEST(ViewStoreContract, ScansAreOrderedBoundedAndStoppable) {
  const std::string odd("b\0c", 3);
  ASSERT_TRUE(
      this->store_->write({{"a", "1"}, {"b", "2"}, {odd, "3"}, {"c", "4"}, {"d", "5"}}, cursor_at(1)));
  const auto rows = this->store_->snapshot();
  EXPECT_EQ(scan(*rows, "b", "d"), (Rows{{"b", "2"}, {odd, "3"}, {"c", "4"}}));
  EXPECT_EQ(scan_back(*rows, "b", "d"), (Rows{{"c", "4"}, {odd, "3"}, {"b", "2"}}));
  EXPECT_EQ(scan(*rows, "d", "b"), Rows{});
  EXPECT_EQ(scan_back(*rows, "c", "c"), Rows{});
  int visits = 0;
  rows->scan("a", "z", [&](auto, auto) { return ++visits < 2; });
  rows->scan_back("a", "z", [&](auto, auto) { return ++visits < 4; });
  EXPECT_EQ(visits, 4);
}

TYPED_TEST(ViewStoreContract, ASnapshotDoesNotChange) {
  ASSERT_TRUE(this->store_->write({{"b1", "one"}}, cursor_at(1)));
  const auto before = this->store_->snapshot();
  ASSERT_TRUE(this->store_->write({{"b1", "two"}, {"b2", "new"}}, cursor_at(2)));
  const auto after = this->store_->snapshot();
  EXPECT_EQ(before->get("b1"), "one");
  EXPECT_EQ(scan(*before), (Rows{{"b1", "one"}}));
  EXPECT_EQ(before->cursor(), cursor_at(1));
  EXPECT_EQ(after->get("b1"), "two");
}

TYPED_TEST(ViewStoreContract, ASnapshotOutlivesTheStore) {
  ASSERT_TRUE(this->store_->write({{"b1", "one"}}, cursor_at(1)));
  const auto rows = this->store_->snapshot();
  this->store_.reset();
  EXPECT_EQ(rows->get("b1"), "one");
}

TYPED_TEST(ViewStoreContract, ClearForgetsRowsAndCursorButNotSnapshots) {
  ASSERT_TRUE(this->store_->write({{"b1", "one"}, {"b2", "two"}}, cursor_at(3)));
  const auto before = this->store_->snapshot();
  ASSERT_TRUE(this->store_->clear());
  const auto after = this->store_->snapshot();
  EXPECT_EQ(scan(*after), Rows{});
  EXPECT_EQ(after->cursor(), ViewCursor{});
  EXPECT_EQ(before->get("b2"), "two");
  ASSERT_TRUE(this->store_->write({{"b2", "again"}}, cursor_at(1)));
  EXPECT_EQ(scan(*this->store_->snapshot()), (Rows{{"b2", "again"}}));
}

TEST(OverlayReader, ChangesHideUnderlyingRows) {
  MemoryViewStore beneath;
  ASSERT_TRUE(beneath.write({{"b", "B"}, {"d", "D"}, {"f", "F"}}, cursor_at(1)));
  const auto under = beneath.snapshot();
  const RowOverlay changes = {{"a", "a"}, {"b", std::nullopt}, {"c", "c"},
                              {"d", "d"}, {"g", "g"},          {"h", std::nullopt}};
  const OverlayReader rows(under.get(), &changes, cursor_at(2));
  EXPECT_EQ(scan(rows), (Rows{{"a", "a"}, {"c", "c"}, {"d", "d"}, {"f", "F"}, {"g", "g"}}));
  EXPECT_EQ(scan_back(rows), (Rows{{"g", "g"}, {"f", "F"}, {"d", "d"}, {"c", "c"}, {"a", "a"}}));
  EXPECT_EQ(scan(rows, "b", "d"), (Rows{{"c", "c"}}));
  EXPECT_EQ(rows.get("b"), std::nullopt);
  EXPECT_EQ(rows.get("f"), "F");
  EXPECT_EQ(rows.cursor(), cursor_at(2));
  for (int stop = 1; stop <= 5; ++stop) {
    int forwards = 0, backwards = 0;
    rows.scan("a", "z", [&](auto, auto) { return ++forwards < stop; });
    rows.scan_back("a", "z", [&](auto, auto) { return ++backwards < stop; });
    EXPECT_EQ(forwards, stop);
    EXPECT_EQ(backwards, stop);
  }
}

}  // namespace
}  // namespace luzia::test
