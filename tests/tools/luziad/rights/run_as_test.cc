// Who may run something as which user: the rule as a table.
#include "tools/luziad/rights/run_as.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <sstream>

namespace luzia {
namespace {

Caller caller_with(std::uint32_t uid, const std::string& name, bool trusted) {
  Caller caller;
  caller.uid = caller.gid = uid;
  caller.name = name;
  caller.trusted = trusted;
  return caller;
}

/// Uids: 0 is root, 7 the daemon's user if it is not root, the others are people. "-": the project names no
/// user.
constexpr const char* kRule = R"(
daemon caller as  project | may
0      0      0   -       | yes  root may everything
0      0      5   6       | yes
0      5      5   -       | yes  oneself
0      5      5   6       | yes
0      5      0   -       | no   nobody becomes root by being listed
0      5      0   0       | no   nor by a project whose user is another name of root's
0      5      6   -       | no   nor somebody else
0      5      6   6       | yes  but the project's user
0      5      6   8       | no
7      7      7   -       | yes  its own daemon
7      0      7   -       | yes
7      5      7   -       | yes  whom its project lists
7      5      7   7       | yes
7      5      5   -       | no   a daemon of a user runs nothing as others
7      5      0   -       | no
)";

TEST(MayRunAs, AllowsOnlyOneselfOrTheProjectsUser) {
  std::istringstream lines(kRule);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  int rows = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::uint32_t daemon = 0, caller = 0, as = 0;
    std::string project, bar, may;
    words >> daemon >> caller >> as >> project >> bar >> may;
    const auto of_project =
        project == "-" ? std::nullopt : std::optional(static_cast<std::uint32_t>(std::stoul(project)));
    const Caller who = caller_with(caller, "x", caller == 0 || caller == daemon);
    EXPECT_EQ(may_run_as(who, as, of_project, daemon), may == "yes") << line;
    ++rows;
  }
  EXPECT_EQ(rows, 15);
}

TEST(MayRunForOrder, DaemonOfRootTakesTheProjectsUserOnly) {
  EXPECT_FALSE(may_run_for_order(0, std::nullopt, 0)) << "the project names no user";
  EXPECT_FALSE(may_run_for_order(5, std::nullopt, 0));
  EXPECT_TRUE(may_run_for_order(6, 6, 0));
  EXPECT_FALSE(may_run_for_order(0, 6, 0)) << "a job that root had dispatched before";
  EXPECT_TRUE(may_run_for_order(0, 0, 0)) << "its configuration says root";
  EXPECT_TRUE(may_run_for_order(7, std::nullopt, 7)) << "the account of a daemon that is not root";
}

TEST(RunAsTest, RefusedOrderNamesTheKeyToSet) {
  if (::geteuid() != 0) return;  // a daemon of root
  Config config;
  config.projects["web"];
  config.projects["served"].user = "daemon";
  RunAs run_as(config);
  const Status refused = run_as.may_order("web", 0, "root");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "order_needs_user");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("as root: [projects.web] names no user"));
  EXPECT_FALSE(run_as.may_order("served", 0, "root")) << "a job from before it named one";
  const auto daemon = run_as.account_for(caller_with(0, "root", true), "served", "");
  ASSERT_TRUE(daemon);
  EXPECT_TRUE(run_as.may_order("served", daemon->uid, daemon->name));
}

TEST(RunAsTest, UsersDaemonRunsNothingAsAnother) {
  if (::geteuid() == 0) return;  // the daemon's user is whoever runs this test
  Config config;
  config.projects["web"].user = "daemon";
  RunAs run_as(config);
  const Caller own = caller_with(::geteuid(), "own", true);
  const auto account = run_as.account_for(own, "web", "");
  ASSERT_FALSE(account);
  EXPECT_EQ(account.error().code, "user_not_allowed");
  EXPECT_THAT(account.error().message, testing::HasSubstr("[projects.web]"));
}

TEST(RunAsTest, DeviceOfProjectsIsNeverRoot) {
  if (::geteuid() != 0) return;  // a daemon of root
  Config config;
  config.projects["web"];
  config.projects["served"].user = "daemon";
  RunAs run_as(config);
  Caller phone = caller_with(0, "root", false);
  phone.device = CallerDevice{"d-1", "phone", schema::DeviceRole::operator_, {"web", "served"}};
  for (const char* named : {"", "root"}) {
    const auto refused = run_as.account_for(phone, "web", named);
    ASSERT_FALSE(refused) << named;
    EXPECT_EQ(refused.error().code, "user_not_allowed");
  }
  const auto served = run_as.account_for(phone, "served", "");
  ASSERT_TRUE(served) << served.error().message;
  EXPECT_EQ(served->name, "daemon");
}

TEST(RunAsTest, UnknownAccountNamesItsPlace) {
  Config config;
  config.projects["web"].user = "nosuchuser";
  RunAs run_as(config);
  const Caller root = caller_with(0, "root", true);
  const auto of_project = run_as.account_for(root, "web", "");
  ASSERT_FALSE(of_project);
  EXPECT_EQ(of_project.error().code, "unknown_user");
  EXPECT_THAT(of_project.error().hint, testing::HasSubstr("[projects.web]"));
  const auto named = run_as.account_for(root, "web", "neitherthis");
  ASSERT_FALSE(named);
  EXPECT_THAT(named.error().message, testing::HasSubstr("neitherthis"));
}

}  // namespace
}  // namespace luzia
