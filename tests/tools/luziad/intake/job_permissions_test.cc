// Who may choose the permissions of a job, and what they add to its agent's command.
#include "tools/luziad/intake/job_permissions.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

class JobPermissionsTest : public testing::Test {
 protected:
  Result<JobPermissions> asked_by(const Caller& caller, const std::string& permissions) {
    request_.project = "web";
    request_.permissions = permissions;
    return permissions_of(caller, request_, project_, {name_, profile_});
  }
  std::string granted(const Caller& caller, const std::string& permissions) {
    const auto found = asked_by(caller, permissions);
    return found ? found->word() : found.error().code;
  }
  static Caller member() { return {}; }
  static Caller owner() {
    Caller caller;
    caller.trusted = true;
    return caller;
  }

  std::string name_ = "claude";
  AgentProfile profile_ = find_agent("claude")->profile;
  ProjectConfig project_;
  wire::DispatchJobT request_;
};

TEST_F(JobPermissionsTest, AgentsEditWhereNothingIsConfigured) {
  EXPECT_EQ(granted(member(), ""), "edits");
  EXPECT_THAT(asked_by(member(), "")->in(profile_.command), Contains("acceptEdits"));
}

TEST_F(JobPermissionsTest, ProjectWinsOverAgent) {
  profile_.permissions = "bypass";
  EXPECT_EQ(granted(member(), ""), "bypass");
  project_.permissions = "plan";
  EXPECT_EQ(granted(member(), ""), "plan");
}

TEST_F(JobPermissionsTest, MembersMayOnlyNarrowThem) {
  EXPECT_EQ(granted(member(), "plan"), "plan");
  EXPECT_EQ(granted(member(), "bypass"), "permissions_too_wide");
  project_.permissions = "ask";
  EXPECT_EQ(granted(member(), "edits"), "permissions_too_wide");
  EXPECT_EQ(granted(owner(), "bypass"), "bypass");
}

TEST_F(JobPermissionsTest, AgentOfAJobNeverWidensThem) {
  request_.parent_job = "k1";
  EXPECT_EQ(granted(owner(), "bypass"), "permissions_too_wide");
  EXPECT_EQ(granted(owner(), "plan"), "plan");
}

TEST_F(JobPermissionsTest, OrderOfAFleetNeverWidensThem) {
  request_.order = "o#1";
  EXPECT_EQ(granted(owner(), "bypass"), "permissions_too_wide");
  EXPECT_EQ(granted(owner(), "plan"), "plan");
}

TEST_F(JobPermissionsTest, UnknownWordsAndProgramsAreRefused) {
  EXPECT_EQ(granted(owner(), "all"), "bad_permissions");
  name_ = "mine";
  profile_.command = {"mytool"};
  EXPECT_EQ(granted(owner(), "plan"), "no_permissions");
  EXPECT_EQ(granted(owner(), ""), "");
}

TEST_F(JobPermissionsTest, NobodyChoosesForAPersonAtATerminal) {
  request_.terminal = schema::Terminal::pty;
  EXPECT_EQ(granted(owner(), "plan"), "no_permissions");
  EXPECT_THAT(asked_by(owner(), "plan").error().message,
              testing::HasSubstr("the agent asks the person there"));
  EXPECT_EQ(granted(owner(), ""), "");
}

TEST_F(JobPermissionsTest, CommandWithoutAPlaceGetsOnlyNamedOnes) {
  const std::vector<std::string> own = {"claude", "-p"};
  EXPECT_THAT(asked_by(member(), "")->in(own), ElementsAre("claude", "-p"));
  EXPECT_THAT(asked_by(member(), "plan")->in(own),
              ElementsAre("claude", "-p", "--add-dir", "{job_dir}", "--permission-mode", "plan"));
}

TEST_F(JobPermissionsTest, SomeAgentsTakeAVariable) {
  name_ = "opencode";
  profile_ = find_agent("opencode")->profile;
  EXPECT_THAT(asked_by(member(), "plan")->variables(), Contains(testing::Key("OPENCODE_PERMISSION")));
  EXPECT_TRUE(asked_by(member(), "")->variables().empty());
}

}  // namespace
}  // namespace luzia
