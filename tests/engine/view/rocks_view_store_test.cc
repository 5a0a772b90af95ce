#include "engine/view/rocks_view_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

class RocksViews : public testing::Test {
 protected:
  std::string path() const { return folder_.beside("views"); }
  void write_rows(const std::string& value = "one") {
    auto opened = open_rocks_view_store(path(), OpenMode::read_write);
    ASSERT_TRUE(opened) << opened.error().message;
    ViewCursor cursor;
    cursor.position = 5;
    ASSERT_TRUE(opened->store->write({{"b1", value}}, cursor));
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      if (entry.is_regular_file()) contents[entry.path()] = read_file(entry.path());
    }
    return contents;
  }
  fs::path file_ending(std::string_view ending) const {
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().string().ends_with(ending) && fs::file_size(entry.path()) > 0) return entry.path();
    }
    return {};
  }
  /// Writes the rows to a table file: opening again moves the write-ahead log's content into one.
  void write_table_file() {
    write_many_rows();
    ASSERT_TRUE(open_rocks_view_store(path(), OpenMode::read_write));
    ASSERT_FALSE(file_ending(".sst").empty());
  }
  void write_many_rows() {
    auto opened = open_rocks_view_store(path(), OpenMode::read_write);
    ASSERT_TRUE(opened);
    RowBatch rows;
    for (int i = 0; i < 3000; ++i) {
      rows.add("b" + std::to_string(i), std::string(4000, static_cast<char>('a' + i % 26)));
    }
    ViewCursor cursor;
    cursor.position = 9;
    ASSERT_TRUE(opened->store->write(rows, cursor));
  }

  TempStore folder_;
};

TEST_F(RocksViews, RowsAndCursorComeBackAfterReopening) {
  write_rows();
  const auto opened = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->cleared);
  EXPECT_EQ(opened->store->snapshot()->get("b1"), "one");
  EXPECT_EQ(opened->store->snapshot()->cursor().position, 5U);
}

TEST_F(RocksViews, ManyExpectedRowsTakeFewFiles) {
  const auto files_of = [&](bool many) {
    const std::string folder = folder_.beside(many ? "many" : "few");
    const auto opened = open_rocks_view_store(folder, OpenMode::read_write);
    EXPECT_TRUE(opened);
    EXPECT_TRUE(opened->store->expect_many(many));
    constexpr int kBatches = 28, kRows = 256;
    for (int batch = 0; batch < kBatches; ++batch) {
      RowBatch rows;
      for (int i = 0; i < kRows; ++i) {
        // All different, so that LZ4 cannot compress them.
        std::string value(4096, '\0');
        for (std::size_t at = 0; at < value.size(); ++at)
          value[at] = static_cast<char>((at * 31 + batch * kRows + i) * 2654435761U >> 24);
        rows.add("b" + std::to_string(batch * kRows + i), value);
      }
      EXPECT_TRUE(opened->store->write(rows, {}));
    }
    EXPECT_EQ(opened->store->snapshot()->get("b0").value_or("").size(), 4096U);
    std::size_t tables = 0;
    for (const auto& entry : fs::directory_iterator(folder)) tables += entry.path().extension() == ".sst";
    EXPECT_TRUE(opened->store->expect_many(false));
    EXPECT_TRUE(opened->store->write({{"c", "after"}}, {}));
    EXPECT_EQ(opened->store->snapshot()->get("b7167").value_or("").size(), 4096U);
    return tables;
  };
  EXPECT_EQ(files_of(true), 0U) << "28 MiB are less than a buffer";
  EXPECT_GE(files_of(false), 1U) << "but more than three ordinary buffers, which are flushed";
}

TEST_F(RocksViews, ASecondWriterIsRefused) {
  write_rows();
  const auto first = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(first);
  const auto second = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "views_locked");
  EXPECT_EQ(first->store->snapshot()->get("b1"), "one");
}

TEST_F(RocksViews, ReadOnlyNeedsNoLock) {
  write_rows();
  const auto writer = open_rocks_view_store(path(), OpenMode::read_write);
  const auto before = files();
  {
    const auto reader = open_rocks_view_store(path(), OpenMode::read_only);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->store->snapshot()->get("b1"), "one");
    EXPECT_EQ(reader->store->write({{"b1", "two"}}, {}).error().code, "views_read_only");
    EXPECT_EQ(reader->store->clear().error().code, "views_read_only");
  }
  EXPECT_EQ(files(), before);
}

TEST_F(RocksViews, ReaderKeepsRowsDeletedByAWriter) {
  write_table_file();
  const auto table = file_ending(".sst");
  const auto writer = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(writer);
  const auto reader = open_rocks_view_store(path(), OpenMode::read_only);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_TRUE(writer->store->clear());
  ASSERT_FALSE(fs::exists(table));
  int found = 0;
  const auto rows = reader->store->snapshot();
  rows->scan("b", "c", [&](auto, auto) { return ++found > 0; });
  EXPECT_EQ(found, 3000);
  EXPECT_TRUE(rows->status());
}

TEST_F(RocksViews, ReadOnlyCreatesNoFolder) {
  const auto opened = open_rocks_view_store(path(), OpenMode::read_only);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "no_views");
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(RocksViews, MissingTableClearsTheStore) {
  write_table_file();
  fs::remove(file_ending(".sst"));
  EXPECT_EQ(open_rocks_view_store(path(), OpenMode::read_only).error().code, "views_unreadable");
  const auto opened = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->cleared);
  EXPECT_EQ(opened->store->snapshot()->cursor(), ViewCursor{});
}

TEST_F(RocksViews, BrokenManifestClearsTheStore) {
  write_rows();
  std::string current = read_file(path() + "/CURRENT");
  current.pop_back();
  write_file(fs::path(path()) / current, "no manifest");
  const auto opened = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->cleared);
  ASSERT_TRUE(opened->store->write({{"b1", "new"}}, {}));
  EXPECT_EQ(opened->store->snapshot()->get("b1"), "new");
}

TEST_F(RocksViews, DamageFoundWhileMergingClearsAtTheNextOpen) {
  write_table_file();
  const fs::path table = file_ending(".sst");
  std::string bytes = read_file(table);
  for (std::size_t i = 4096; i < bytes.size() / 2; i += 512) bytes[i] = static_cast<char>(bytes[i] ^ 1);
  write_file(table, bytes);
  // Each close leaves a table file; RocksDB merges them beyond a certain number.
  std::string code;
  for (int i = 0; i < 1'000 && code.empty(); ++i) {
    const auto opened = open_rocks_view_store(path(), OpenMode::read_write);
    ASSERT_TRUE(opened) << opened.error().message;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (code.empty() && std::chrono::steady_clock::now() < until) {
      const Status written = opened->store->write({{"b1", std::to_string(i)}, {"b2999", "x"}}, {});
      if (!written) code = written.error().code;
    }
  }
  EXPECT_EQ(code, "views_damaged");
  const auto again = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->cleared);
}

TEST_F(RocksViews, DamageFoundWhileReadingStopsWriting) {
  write_table_file();
  const fs::path table = file_ending(".sst");
  std::string bytes = read_file(table);
  // Leaves the first block intact: a snapshot reads the cursor from it.
  for (std::size_t i = 4096; i < bytes.size() / 2; i += 512) bytes[i] = static_cast<char>(bytes[i] ^ 1);
  write_file(table, bytes);
  {
    const auto opened = open_rocks_view_store(path(), OpenMode::read_write);
    ASSERT_TRUE(opened) << opened.error().message;
    ASSERT_FALSE(opened->cleared);
    const auto rows = opened->store->snapshot();
    EXPECT_TRUE(rows->status());
    for (int i = 0; i < 3000; ++i) rows->get("b" + std::to_string(i));
    EXPECT_EQ(rows->status().error().code, "views_damaged") << "a row reported missing may exist";
    EXPECT_EQ(opened->store->status().error().code, "views_damaged");
    EXPECT_EQ(opened->store->write({{"b1", "two"}}, {}).error().code, "views_damaged");
  }
  EXPECT_EQ(open_rocks_view_store(path(), OpenMode::read_only).error().code, "views_unreadable");
  const auto again = open_rocks_view_store(path(), OpenMode::read_write);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->cleared);
  EXPECT_TRUE(again->store->write({{"b1", "two"}}, {}));
}

}  // namespace
}  // namespace luzia::test
