// Rows of an older program: which of them still serve, what is reported about the others, and that they never
// count as rows of the present version.
#include "engine/view/older_rows.h"

#include <gmock/gmock.h>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

/// One row per event: "VERSION:POSITION".
class VersionedRows : public Projection {
 public:
  explicit VersionedRows(const ProjectionInfo& info) : info_(info) {}
  std::vector<ProjectionInfo> views() const override { return {info_}; }
  void fold(const schema::Event& event) override { positions_.push_back(event.position()); }
  void flush(RowBatch& batch) override {
    for (const Position position : positions_) {
      const std::string row = std::to_string(info_.version) + ":" + std::to_string(position);
      add_row(batch, info_, big_endian_64(position), row);
    }
    positions_.clear();
  }

 private:
  ProjectionInfo info_;
  std::vector<Position> positions_;
};

template <std::uint8_t kId, std::uint8_t kVersion, ViewKind kKind, std::uint8_t kSince = 0>
struct VersionedView {
  static constexpr ProjectionInfo kInfo{kId, kVersion, kId == 200 ? "lists" : "sums", kKind, kSince};
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the type of a factory
  static std::unique_ptr<Projection> make(ViewReaderSource) { return std::make_unique<VersionedRows>(kInfo); }
};
using Lists1 = VersionedView<200, 1, ViewKind::report>;
using Lists2 = VersionedView<200, 2, ViewKind::report, 1>;
using Lists3 = VersionedView<200, 3, ViewKind::report>;
using Sums1 = VersionedView<201, 1, ViewKind::statistic>;
using Sums2 = VersionedView<201, 2, ViewKind::statistic>;

const ProjectionRegistry kOldProgram = {Lists1::make, Sums1::make};
const ProjectionRegistry kNewProgram = {Lists2::make, Sums2::make};

std::vector<std::string> rows_under(const ViewReader& rows, const ProjectionInfo& info) {
  std::vector<std::string> found;
  rows.scan(row_key(info, ""), row_end(info), [&](std::string_view key, std::string_view value) {
    EXPECT_EQ(key, row_key(info, key.substr(2)));
    found.emplace_back(value);
    return true;
  });
  return found;
}

class OlderRows : public testing::Test {
 protected:
  OlderRows() {
    write(2);
    EXPECT_TRUE(catch_up(log_, kOldProgram, store_));
    write(1);
  }
  void write(int events) {
    for (int i = 0; i < events; ++i) writer_.write(kSecondUs, queued("k" + std::to_string(next_++), "p"));
  }
  std::optional<OlderVersions> find(const ProjectionRegistry& registry) {
    return find_older_versions(*store_.snapshot(), registry);
  }
  /// Folds further events, as a daemon does at its start.
  void fold_on() {
    const auto versions = find(kNewProgram);
    ASSERT_TRUE(versions);
    ASSERT_TRUE(mark_older_rows(store_, *versions));
    const auto folded = fold_into_older_rows(store_, *versions);
    ASSERT_TRUE(catch_up(log_, kNewProgram, *folded));
    shown_ = show_older_rows(store_, *versions, making_);
  }

  MemoryEventLog log_;
  LogWriter writer_{log_};
  int next_ = 0;
  MemoryViewStore store_;
  std::shared_ptr<RowsInTheMaking> making_ = std::make_shared<RowsInTheMaking>();
  std::unique_ptr<ViewStore> shown_;
};

TEST_F(OlderRows, ServeTheNewVersionAndAreUpdated) {
  fold_on();
  const auto rows = shown_->snapshot();
  EXPECT_EQ(rows->cursor(), log_.tip());
  EXPECT_THAT(rows_under(*rows, Lists2::kInfo), testing::ElementsAre("1:1", "1:2", "2:3"));
  EXPECT_EQ(rows->get(row_key(Lists2::kInfo, big_endian_64(2))), "1:2");
  std::vector<std::string> back;
  rows->scan_back(row_key(Lists2::kInfo, ""), row_key(Lists2::kInfo, big_endian_64(3)),
                  [&](auto, std::string_view value) {
                    back.emplace_back(value);
                    return true;
                  });
  EXPECT_THAT(back, testing::ElementsAre("1:2", "1:1"));
  EXPECT_TRUE(rows->status());
}

TEST_F(OlderRows, UnreadableStatisticsAreReportedAsRebuilding) {
  fold_on();
  making_->reached(42);
  const auto rows = shown_->snapshot();
  EXPECT_THAT(rows_under(*rows, Sums2::kInfo), testing::IsEmpty());
  ASSERT_FALSE(rows->status());
  EXPECT_EQ(rows->status().error().code, "views_rebuilding");
  EXPECT_THAT(rows->status().error().message, testing::HasSubstr("'sums'"));
  EXPECT_THAT(rows->status().error().message, testing::HasSubstr("being rebuilt, 42 %"));
  EXPECT_TRUE(shown_->snapshot()->status()) << "other queries are not blocked";
  EXPECT_TRUE(shown_->status()) << "nothing is damaged";
  making_->failed("the disk is full");
  EXPECT_EQ(shown_->snapshot()->get(row_key(Sums2::kInfo, "x")), std::nullopt);
  const auto later = shown_->snapshot();
  (void)later->get(row_key(Sums2::kInfo, "x"));
  EXPECT_THAT(later->status().error().message, testing::HasSubstr("not rebuilt: the disk is full"));
}

TEST_F(OlderRows, AreUsedAgainAfterACrash) {
  fold_on();
  write(1);
  fold_on();
  EXPECT_THAT(rows_under(*shown_->snapshot(), Lists2::kInfo),
              testing::ElementsAre("1:1", "1:2", "2:3", "2:4"));
}

TEST_F(OlderRows, UpdatedOlderRowsFitNoOtherProgram) {
  fold_on();
  const ProjectionRegistry third = {Lists2::make, Sums1::make};
  EXPECT_FALSE(find(third));
  for (const ProjectionRegistry& program : {kNewProgram, kOldProgram}) {
    MemoryViewStore copy;
    store_.snapshot()->scan("", "\xff", [&](std::string_view key, std::string_view value) {
      EXPECT_TRUE(copy.write({{key, value}}, store_.snapshot()->cursor()));
      return true;
    });
    EXPECT_FALSE(Fold(program, copy).fits_store());
    ASSERT_TRUE(catch_up(log_, program, copy));
    MemoryViewStore fresh;
    ASSERT_TRUE(catch_up(log_, program, fresh));
    EXPECT_THAT(compare_rows(*copy.snapshot(), *fresh.snapshot()), testing::IsEmpty());
  }
}

TEST_F(OlderRows, CoreRowsAreRebuiltFirst) {
  EXPECT_FALSE(find({Lists3::make, Sums1::make})) << "its rows can't be read";
  EXPECT_FALSE(find(kOldProgram)) << "they fit";
  ASSERT_TRUE(find({Lists1::make, Sums2::make}));
  EXPECT_EQ(find({Lists1::make, Sums2::make})->views.size(), 1U);
  const ProjectionRegistry without_sums = {Lists1::make};
  ASSERT_TRUE(find(without_sums)) << "a view that no longer exists";
  EXPECT_THAT(find(without_sums)->views, testing::IsEmpty());
}

}  // namespace
}  // namespace luzia::test
