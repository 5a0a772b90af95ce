// New rows are built beside those in use.
#include "engine/view/new_views.h"

#include <fstream>

#include "projections/jobs.h"
#include "tests/tools/luzia_query/small_store.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

class NewViews : public testing::Test {
 protected:
  NewViews() : log_(store_.open_log()) {}
  Result<Position> make(const std::stop_token& stop = {}) {
    return make_new_views(*log_, all_projections(), store_.path(), {}, stop);
  }
  std::string path(const std::string& name) const { return store_.path() + "/" + name; }
  /// Writes rows that no replay would produce.
  void spoil_rows() {
    auto views = store_.open_views();
    ASSERT_TRUE(views->write({{row_key(kJobsView, kBuild), "spoilt"}}, views->snapshot()->cursor()));
  }
  bool rows_are_spoilt() {
    return store_.open_views()->snapshot()->get(row_key(kJobsView, kBuild)) == "spoilt";
  }

  SmallStore store_{8};
  std::unique_ptr<EventLog> log_;
};

TEST_F(NewViews, LeaveTheOldOnesUntilSwapped) {
  spoil_rows();
  {
    const auto in_use = store_.open_views();
    const auto reached = make();
    ASSERT_TRUE(reached) << reached.error().message;
    EXPECT_EQ(*reached, kLast);
  }
  EXPECT_TRUE(rows_are_spoilt());
  ASSERT_TRUE(take_new_views(store_.path()));
  EXPECT_FALSE(rows_are_spoilt());
  EXPECT_EQ(store_.open_views()->snapshot()->cursor(), log_->tip());
  EXPECT_FALSE(fs::exists(path("views.new")) || fs::exists(path("views.old")));
}

TEST_F(NewViews, AreCreatedIfMissing) {
  fs::remove_all(path("views"));
  ASSERT_TRUE(make());
  ASSERT_TRUE(take_new_views(store_.path()));
  EXPECT_EQ(store_.open_views()->snapshot()->cursor(), log_->tip());
}

TEST_F(NewViews, StoppedRebuildLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(make(stop.get_token()).error().code, "cancelled");
  EXPECT_FALSE(fs::exists(path("views.new")));
  EXPECT_FALSE(take_new_views(store_.path()));
  EXPECT_EQ(store_.open_views()->snapshot()->cursor().position, 8U) << "the old ones are back";
}

TEST_F(NewViews, RestartAfterACrash) {
  fs::create_directory(path("views.new"));
  std::ofstream(path("views.new/CURRENT")) << "half";
  fs::create_directory(path("views.old"));
  ASSERT_TRUE(make());
  ASSERT_TRUE(take_new_views(store_.path()));
  EXPECT_EQ(store_.open_views()->snapshot()->cursor(), log_->tip());
  fs::create_directory(path("views.new"));
  fs::create_directory(path("views.old"));
  remove_left_views(store_.path());
  EXPECT_FALSE(fs::exists(path("views.new")) || fs::exists(path("views.old")));
}

}  // namespace
}  // namespace luzia::test
