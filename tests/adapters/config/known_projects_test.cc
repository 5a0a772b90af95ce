#include "adapters/config/known_projects.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

class KnownProjects : public ::testing::Test {
 protected:
  void SetUp() override { config_.projects["web"] = {}; }

  Status check(const std::vector<std::string>& names) {
    return check_known_projects(names, &config_, [this](const wire::QueryT& query) -> Result<std::size_t> {
      ++asked_;
      if (!trouble_.empty()) return fail(ErrorKind::trouble, trouble_, "no answer");
      const bool has_ended_ones = query.filter->ended && query.view == view_;
      return has_ended_ones && query.filter->projects.front() == "old" ? 1 : 0;
    });
  }

  Config config_;
  wire::View view_ = wire::View::totals;
  std::string trouble_;
  int asked_ = 0;
};

TEST_F(KnownProjects, ConfiguredProjectsNeedNoQuery) {
  EXPECT_TRUE(check({"web"}));
  EXPECT_EQ(asked_, 0);
}

TEST_F(KnownProjects, ProjectWithAJobOrFlowIsKnown) {
  EXPECT_TRUE(check({"web", "old"}));
  view_ = wire::View::flows;
  EXPECT_TRUE(check({"old"}));
}

TEST_F(KnownProjects, UnknownProjectIsRefusedWithTheNearestName) {
  const Status known = check({"old", "wbe"});
  ASSERT_FALSE(known);
  EXPECT_EQ(known.error().kind, ErrorKind::not_found);
  EXPECT_EQ(known.error().code, "unknown_project");
  EXPECT_THAT(known.error().message, HasSubstr("'wbe'"));
  EXPECT_EQ(known.error().hint, "did you mean web?");
}

TEST_F(KnownProjects, UnavailableViewsRefuseNothing) {
  EXPECT_TRUE(check_known_projects({"wbe"}, nullptr, [](const auto&) { return std::size_t{0}; }));
  trouble_ = "views_rebuilding";
  EXPECT_TRUE(check({"wbe"}));
}

TEST_F(KnownProjects, OlderDaemonWithoutTheViewRefusesUnknownProjects) {
  trouble_ = "unknown_view";
  EXPECT_EQ(check({"wbe"}).error().code, "unknown_project");
}

TEST_F(KnownProjects, ErrorsArePassedOn) {
  trouble_ = "connection_lost";
  EXPECT_EQ(check({"wbe"}).error().code, "connection_lost");
}

}  // namespace
}  // namespace luzia
