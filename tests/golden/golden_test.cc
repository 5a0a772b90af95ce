// The present program reads the logs of every release correctly: tests/golden/release-N.txt for
// schema/released/N.
#include <flatbuffers/idl.h>

#include <filesystem>
#include <set>

#include "engine/log/blob_row.h"
#include "engine/log/rocks_log_db.h"
#include "engine/log/rocks_watermark.h"
#include "tests/engine/log/temp_store.h"
#include "tests/golden/golden_log.h"
#include "tests/golden/sample_events.h"
#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/schema/schema_listing.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

const fs::path kReleases = source_path("schema/released");

std::vector<std::string> releases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kReleases)) names.push_back(entry.path().filename());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  std::string text_ = read_file(source_path("tests/golden/release-" + GetParam() + ".txt"));
  GoldenLog golden_ = parse_golden(text_).value();
};

TEST_P(Golden, EveryGroupIsReadAndTheChainHolds) {
  ASSERT_FALSE(golden_.groups.empty());
  Tip tip;
  for (const auto& [position, value] : golden_.groups) {
    ASSERT_EQ(position, tip.position + 1);
    auto group = Group::parse(position, as_bytes(value));
    ASSERT_TRUE(group) << group.error().message;
    const auto count = static_cast<std::uint32_t>(group->events().size());
    EXPECT_EQ(group->chain(), chain_hash(tip.chain, position, count, group->frames()));
    tip = {group->last_position(), group->chain()};
  }
  EXPECT_EQ(tip, golden_.tip);
}

TEST_P(Golden, EveryFieldKeepsItsMeaning) {
  for (const auto& [position, value] : golden_.groups) {
    auto group = Group::parse(position, as_bytes(value));
    ASSERT_TRUE(group);
    for (std::size_t i = 0; i < group->events().size(); ++i) {
      const auto& [fact, dump] = golden_.events.at(position + i);
      EXPECT_EQ(domain_and_fact(*group->events()[i]), fact);
      EXPECT_EQ(dump_event(group->event_bytes(i)), dump);
    }
  }
}

TEST_P(Golden, ContainsEveryFactOfItsRelease) {
  auto schema = load_schema(kReleases / GetParam(), "event.fbs");
  ASSERT_TRUE(schema);
  std::set<std::string> held;
  for (const auto& [position, event] : golden_.events) held.insert(event.first);
  const auto names = fact_names(**schema);
  EXPECT_EQ(held, std::set<std::string>(names.begin(), names.end()));
}

TEST_P(Golden, OpensAsAStore) {
  TempStore store;
  fs::create_directory(store.path());
  {
    auto db = RocksLogDb::open(store.path() + "/log", OpenMode::read_write, nullptr);
    ASSERT_TRUE(db);
    for (const auto& [position, value] : golden_.groups) {
      ASSERT_TRUE((*db)->db().Put({}, (*db)->groups(), position_key(position), value).ok());
    }
    for (const auto& [position, value] : golden_.blobs) {
      ASSERT_TRUE((*db)->db().Put({}, (*db)->blobs(), position_key(position), value).ok());
    }
  }
  ASSERT_TRUE(RocksWatermark::create(*rocksdb::Env::Default()->GetFileSystem(), store.path(), golden_.tip));
  const auto log = opened_store(store.path());
  EXPECT_EQ(log->tip(), golden_.tip);
  // The samples' references match no texts, so only the row is read.
  ASSERT_FALSE(golden_.blob_texts.empty());
  for (const auto& [key, content] : golden_.blob_texts) {
    const auto& [event, index] = key;
    ASSERT_TRUE(log->visit_text_row(event, [&](std::string_view row) {
      const auto entry = find_blob(row, event, index);
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->state == BlobState::erased ? "erased" : entry->content, content);
    }));
  }
}

// Checks that make_golden still writes the golden file from the frozen schema. A new version of the
// FlatBuffers library may encode differently; then only this test fails, and the file stays as it is.
TEST_P(Golden, EqualsWhatItsProgramWrites) {
  auto made = make_golden(kReleases / GetParam());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(*made == text_) << "make_golden schema/released/" << GetParam() << " writes something else";
}

INSTANTIATE_TEST_SUITE_P(Release, Golden, testing::ValuesIn(releases()),
                         [](const auto& release) { return release.param; });

}  // namespace
}  // namespace luzia::test
