// Queries without a daemon on rows that the disk has damaged: never a wrong answer, and the error says what
// to do.
#include <fstream>

#include "engine/view/view_checkpoints.h"
#include "projections/past_views.h"
#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

/// Flips one bit in each of the first bytes of every table file, where the rows are.
void spoil_tables(const std::string& folder) {
  constexpr std::streamoff kSpoilt = 256;
  std::vector<std::string> tables;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".sst") tables.push_back(entry.path());
  }
  EXPECT_FALSE(tables.empty()) << folder;
  for (const std::string& path : tables) {
    // On a copy of the file: checkpoints share the original with the rows.
    const std::string copy = path + ".copy";
    fs::copy_file(path, copy);
    fs::rename(copy, path);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (std::streamoff at = 0; at < kSpoilt; at += 16) {
      file.seekg(at);
      const char flipped = static_cast<char>(file.get() ^ 1);
      file.seekp(at);
      file.put(flipped);
    }
  }
}

TEST(DamagedRows, GiveAnErrorWithAFix) {
  const SmallStore store;
  const std::string before = ask(store, {"jobs", "--all", "--json"}).out;
  spoil_tables(store.path() + "/views");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"jobs", "--all"}, {"job", kBuild}, {"queue"}, {"stats"}, {"status"}, {"jobs", "--at", "9"}}) {
    auto as_json = words;
    as_json.emplace_back("--json");
    const Ran ran = ask(store, as_json);
    EXPECT_EQ(ran.code, 5) << words[0] << ran.out;
    const Json error = Json::parse(ran.err, nullptr, false).value("error", Json::object());
    EXPECT_EQ(error.value("code", ""), "views_damaged") << ran.err;
    EXPECT_THAT(error.value("hint", ""), testing::HasSubstr("luzia-query replay --rebuild"));
  }
  EXPECT_EQ(ask(store, {"events"}).code, 0) << "the log is intact";
  ASSERT_EQ(ask(store, {"replay", "--rebuild"}).code, 0);
  EXPECT_EQ(ask(store, {"jobs", "--all", "--json"}).out, before);
  EXPECT_EQ(ask(store, {"verify"}).code, 0);
}

TEST(DamagedRows, OfACheckpointAreReplacedByAReplay) {
  FullStore full;
  const std::string& path = full.store().path();
  {
    const auto log = full.store().open_log();
    auto opened = open_rocks_view_store(path + "/views", OpenMode::read_write);
    ASSERT_TRUE(opened);
    ASSERT_TRUE(opened->store->clear());
    ViewCheckpoints checkpoints(path, *log, all_projections(), opened->copy,
                                {.every = 10, .room_to_leave = 0});
    ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store, 20));
    ASSERT_TRUE(checkpoints.reached(20));
    ASSERT_TRUE(catch_up(*log, all_projections(), *opened->store));
  }
  const std::vector<std::vector<std::string>> questions = {{"jobs", "--all", "--at", "25", "--json"},
                                                           {"stats", "--at", "22", "--json"},
                                                           {"cost", "--at", "30", "--json"}};
  std::vector<std::string> before;
  for (const auto& words : questions) before.push_back(ask(full.store(), words).out);
  spoil_tables(path + "/views-20");
  for (std::size_t i = 0; i < questions.size(); ++i)
    EXPECT_EQ(ask(full.store(), questions[i]).out, before[i]);
}

/// Rows of which only the store's own metadata can be read.
class UnreadableRows : public ViewReader {
 public:
  explicit UnreadableRows(std::unique_ptr<ViewReader> rows) : rows_(std::move(rows)) {}
  std::optional<std::string> get(std::string_view key) const override {
    if (key.starts_with('\0')) return rows_->get(key);
    damaged_ = true;
    return std::nullopt;
  }
  void scan(std::string_view, std::string_view, const Visit&) const override { damaged_ = true; }
  void scan_back(std::string_view, std::string_view, const Visit&) const override { damaged_ = true; }
  ViewCursor cursor() const override { return rows_->cursor(); }
  Status status() const override {
    if (!damaged_) return {};
    return fail(ErrorKind::trouble, "views_damaged", "damaged");
  }

 private:
  std::unique_ptr<ViewReader> rows_;
  mutable bool damaged_ = false;
};

TEST(DamagedRows, UnderlyingDamagedRowsGiveNoPastAnswer) {
  const SmallStore store(8);
  const auto log = store.open_log();
  const auto views = store.open_views();
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.at_position = 12;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = true;
  const auto ask_with = [&](const EarlierRows& earlier) {
    PastRows past;
    EXPECT_TRUE(prepare_past(past, *log, *views->snapshot(), query, earlier));
    const auto page = run_query(*views->snapshot(), {*log, {}, {}, {}, &past}, query);
    EXPECT_TRUE(page) << page.error().message;
    return page ? page->rows : std::vector<std::string>();
  };
  const auto expected = ask_with([](Position) { return nullptr; });
  EXPECT_EQ(expected.size(), 3u);
  const auto unreadable = [&](Position) { return std::make_shared<UnreadableRows>(views->snapshot()); };
  EXPECT_EQ(ask_with(unreadable), expected);
}

}  // namespace
}  // namespace luzia::test
