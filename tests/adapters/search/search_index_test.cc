// The search index: what it finds, in which order, and that its file may be lost or damaged at any time.
#include "adapters/search/search_index.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace luzia {
namespace {

class SearchIndexTest : public testing::Test {
 protected:
  SearchIndexTest() {
    std::filesystem::remove_all(folder_);  // left by a killed run with the same pid
    std::filesystem::create_directories(folder_);
  }
  ~SearchIndexTest() override { std::filesystem::remove_all(folder_); }

  SearchIndex open() const {
    auto index = SearchIndex::open(path());
    EXPECT_TRUE(index) << index.error().message;
    return std::move(*index);
  }
  std::string path() const { return folder_ + "/search.db"; }
  static std::vector<SearchDocument> some() {
    return {{"1", "solution", 1, "port 3000 is in use", "network", "kill the process that listens"},
            {"2", "solution", 1, "disk is full", "disk", "remove old images, then build again"},
            {"3", "solution", 1, "builds are slow", "", "the disk of the cache may be full"},
            {"4", "fact", 1, "web uses postgres", "", "disk"}};
  }
  static std::vector<std::string> ids(const SearchIndex& index, const std::string& words,
                                      const std::string& kind = "solution") {
    const auto hits = index.find(kind, words, 10);
    EXPECT_TRUE(hits) << hits.error().message;
    std::vector<std::string> found;
    for (const SearchHit& hit : *hits) {
      EXPECT_GT(hit.score, 0) << hit.id;
      found.push_back(hit.id);
    }
    return found;
  }
  using Ids = std::vector<std::string>;

 private:
  std::string folder_ = testing::TempDir() + "search-" + std::to_string(getpid());
};

TEST_F(SearchIndexTest, TitleWeighsMoreThanTextAndWordsAreStemmed) {
  SearchIndex index = open();
  ASSERT_TRUE(index.change(some(), {}));
  EXPECT_EQ(ids(index, "full disk"), (Ids{"2", "3"}));
  EXPECT_EQ(ids(index, "DISKS"), (Ids{"2", "3"}));
  EXPECT_EQ(ids(index, "building"), (Ids{"3", "2"}));
  EXPECT_EQ(ids(index, "network"), Ids{"1"});
  EXPECT_EQ(ids(index, "unrelated stuff"), Ids{});
  EXPECT_EQ(ids(index, "disk", "fact"), Ids{"4"});
}

TEST_F(SearchIndexTest, QuerySyntaxIsPlainWords) {
  SearchIndex index = open();
  ASSERT_TRUE(index.change(some(), {}));
  for (const char* words : {"\"disk", "disk\"", "disk*", "NOT disk", "(disk", "title:disk", "disk AND",
                            "disk; DROP TABLE documents", "-disk", "disk^2", "NEAR(disk full)"}) {
    EXPECT_FALSE(ids(index, words).empty()) << words;
  }
  for (const char* words : {"", "  ", "-- !", "\"\"", "\x01"}) {
    const auto hits = index.find("solution", words, 10);
    ASSERT_FALSE(hits) << words;
    EXPECT_EQ(hits.error().code, "no_words");
  }
  EXPECT_EQ(search_expression("disk-full: 3"), "\"disk\" OR \"full\" OR \"3\"");
  EXPECT_EQ(ids(index, std::string(100'000, 'a') + " disk"), (Ids{"2", "3"}));
  EXPECT_EQ(ids(index,
                "gr\xc3\xbc\xc3\x9f"
                "e \xff\xfe disk")
                .size(),
            2U);
}

TEST_F(SearchIndexTest, ChangesReplaceAndRemove) {
  SearchIndex index = open();
  ASSERT_TRUE(index.change(some(), {}));
  ASSERT_TRUE(index.change({{"2", "solution", 2, "memory is short", "", "stop something"}}, {"1", "none"}));
  EXPECT_EQ(ids(index, "memory"), Ids{"2"});
  EXPECT_EQ(ids(index, "disk"), Ids{"3"});
  EXPECT_EQ(ids(index, "port"), Ids{});
  const auto known = index.known();
  ASSERT_TRUE(known);
  EXPECT_EQ(*known, (std::map<std::string, std::uint64_t>{{"2", 2}, {"3", 1}, {"4", 1}}));
}

TEST_F(SearchIndexTest, ContentSurvivesReopening) {
  {
    SearchIndex index = open();
    ASSERT_TRUE(index.change(some(), {}));
  }
  EXPECT_EQ(open().known()->size(), 4U);
}

TEST_F(SearchIndexTest, DamagedOrForeignFileIsRebuilt) {
  {
    SearchIndex index = open();
    ASSERT_TRUE(index.change(some(), {}));
  }
  const auto size = std::filesystem::file_size(path());
  std::fstream(path(), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(size / 2))
      .write(std::string(2000, '\xee').data(), 2000);
  EXPECT_EQ(open().known()->size(), 0U);
  std::ofstream(path(), std::ios::trunc) << "this is no database, but some text that somebody put there";
  SearchIndex index = open();
  EXPECT_EQ(index.known()->size(), 0U);
  ASSERT_TRUE(index.change(some(), {}));
  EXPECT_EQ(ids(index, "port"), Ids{"1"});
}

TEST_F(SearchIndexTest, UnwritableFileIsAnErrorMemoryWorks) {
  const auto index = SearchIndex::open("/no/such/folder/search.db");
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().code, "search_failed");
  auto in_memory = SearchIndex::open({});
  ASSERT_TRUE(in_memory);
  ASSERT_TRUE(in_memory->change(some(), {}));
  EXPECT_EQ(ids(*in_memory, "port"), Ids{"1"});
}

}  // namespace
}  // namespace luzia
