// Which agents may go on with a job in place of its own.
#include "tools/luziad/intake/fallbacks.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

using StandInKind = schema::SandboxKind;

schema::JobSpecT spec_in_sandbox(const std::string& agent, StandInKind kind, bool network = true,
                                 std::vector<std::string> hosts = {}) {
  schema::JobSpecT spec;
  spec.agent = agent;
  spec.command = {agent, "{task}"};
  if (kind == StandInKind::off) return spec;
  spec.sandbox = std::make_unique<schema::SandboxT>();
  spec.sandbox->kind = kind;
  spec.sandbox->network = network;
  spec.sandbox->hosts = std::move(hosts);
  return spec;
}

/// The error's message; empty: it may.
std::string stand_in_refused(schema::JobSpecT own, const schema::JobSpecT& other) {
  QueueJob job;
  job.job = "j1";
  job.spec = std::move(own);
  const Status added = add_fallbacks(job, {other.agent}, [&other](const std::string&) -> Result<QueueJob> {
    QueueJob made;
    made.spec = other;
    return made;
  });
  EXPECT_EQ(job.spec.fallbacks.size(), added ? 1U : 0U);
  if (added) return {};
  EXPECT_EQ(added.error().code, "bad_fallback");
  return added.error().message;
}

TEST(Fallbacks, AgentLeavesNoSandboxForOneThatGoesOn) {
  const auto strict = spec_in_sandbox("claude", StandInKind::strict);
  EXPECT_EQ(stand_in_refused(strict, spec_in_sandbox("codex", StandInKind::off)),
            "agent codex cannot stand in for claude: its sandbox is 'off', not 'strict'");
  EXPECT_EQ(stand_in_refused(strict, spec_in_sandbox("codex", StandInKind::project)),
            "agent codex cannot stand in for claude: its sandbox is 'project', not 'strict'");
  EXPECT_EQ(stand_in_refused(strict, spec_in_sandbox("codex", StandInKind::strict)), "");
  EXPECT_EQ(stand_in_refused(spec_in_sandbox("claude", StandInKind::off),
                             spec_in_sandbox("codex", StandInKind::off)),
            "");
  EXPECT_EQ(stand_in_refused(spec_in_sandbox("claude", StandInKind::off),
                             spec_in_sandbox("codex", StandInKind::strict)),
            "");
}

TEST(Fallbacks, AgentWithAListOfHostsLeavesNoNetworkOpenForOneThatGoesOn) {
  const auto listed = spec_in_sandbox("claude", StandInKind::project, false, {"api.anthropic.com"});
  EXPECT_EQ(stand_in_refused(listed, spec_in_sandbox("codex", StandInKind::strict)),
            "agent codex cannot stand in for claude: it may reach the whole network");
  EXPECT_EQ(
      stand_in_refused(listed, spec_in_sandbox("codex", StandInKind::project, false, {"api.openai.com"})), "")
      << "its service is another";
  EXPECT_EQ(stand_in_refused(spec_in_sandbox("claude", StandInKind::project),
                             spec_in_sandbox("codex", StandInKind::project, false)),
            "");
}

TEST(Fallbacks, AgentGetsNoWiderPermissionsByOneThatGoesOn) {
  const auto with = [](const std::string& agent, const std::string& permissions) {
    schema::JobSpecT spec = spec_in_sandbox(agent, StandInKind::off);
    spec.permissions = permissions;
    return spec;
  };
  EXPECT_EQ(stand_in_refused(with("claude", "ask"), with("codex", "bypass")),
            "agent codex cannot stand in for claude: its permissions are 'bypass', not 'ask'");
  EXPECT_EQ(stand_in_refused(with("claude", "edits"), with("codex", "edits")), "");
  EXPECT_EQ(stand_in_refused(with("claude", "bypass"), with("codex", "plan")), "");
  EXPECT_EQ(stand_in_refused(with("claude", "edits"), with("mine", "")), "") << "it has none that are known";
}

}  // namespace
}  // namespace luzia
