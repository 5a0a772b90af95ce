// Who may choose the sandbox of a job, and what it shows.
#include "tools/luziad/intake/job_sandbox.h"

#include <unistd.h>

#include <cstdlib>
#include <tuple>

#include "engine/job/sandbox_words.h"
#include "tests/matchers.h"
#include "tools/luziad/intake/job_permissions.h"

namespace luzia {
namespace {

class JobSandboxTest : public testing::Test {
 protected:
  JobSandboxTest() {
    spec_.home = "/home/me";
    spec_.agent = "claude";
    spec_.uid = ~0U;  // nobody's: variables of the tester do not count
  }
  std::string granted(const Caller& caller, const std::string& asked) {
    request_.project = "web";
    request_.sandbox = asked;
    spec_.sandbox.reset();
    const Status filled = fill_sandbox(spec_, caller, request_, configured_, *profile_);
    return filled ? sandbox_words(spec_.sandbox.get()).substr(0, 7) : filled.error().code;
  }
  static Caller member() { return {}; }
  static Caller owner() {
    Caller caller;
    caller.trusted = true;
    return caller;
  }

  const AgentProfile* profile_ = &find_agent("claude")->profile;
  SandboxConfig configured_{.kind = "off", .network = "all", .write = {}, .read = {}, .hide = {}};
  wire::DispatchJobT request_;
  schema::JobSpecT spec_;
};

TEST_F(JobSandboxTest, MembersMayOnlyMakeItStricter) {
  EXPECT_EQ(granted(member(), ""), "");
  EXPECT_EQ(granted(member(), "project"), "project");
  configured_.kind = "project";
  EXPECT_EQ(granted(member(), ""), "project");
  EXPECT_EQ(granted(member(), "off"), "sandbox_too_weak");
  EXPECT_EQ(granted(member(), "strict"), "strict;");
  EXPECT_EQ(granted(owner(), "off"), "");
  EXPECT_EQ(granted(owner(), "tight"), "bad_sandbox");
}

TEST_F(JobSandboxTest, AgentsAndDevicesNeverWeakenIt) {
  configured_.kind = "strict";
  Caller device = owner();
  device.device = CallerDevice{};
  EXPECT_EQ(granted(device, "project"), "sandbox_too_weak");
  request_.parent_job = "k1";
  EXPECT_EQ(granted(owner(), "off"), "sandbox_too_weak");
  request_.parent_job.clear();
  EXPECT_NE(granted(owner(), "off"), "sandbox_too_weak");
  request_.order = "o#1";
  EXPECT_EQ(granted(owner(), "off"), "sandbox_too_weak") << "an order of a fleet";
}

TEST_F(JobSandboxTest, EveryoneMayAskForASmallerNetworkAndOnlyOwnersForMore) {
  const auto network = [this](const Caller& caller, std::vector<std::string> asked) {
    request_.network = std::move(asked);
    const std::string code = granted(caller, "strict");
    if (!spec_.sandbox || code != "strict;") return code;
    std::string words = spec_.sandbox->network ? "all" : "";
    for (const std::string& host : spec_.sandbox->hosts) words += host + " ";
    return words;
  };
  configured_.network = "hosts";
  configured_.hosts = {"example.org", "*.github.com"};
  EXPECT_EQ(network(member(), {}), "example.org *.github.com ");
  EXPECT_EQ(network(member(), {"API.github.com:443"}), "api.github.com:443 ");
  EXPECT_EQ(network(member(), {"none"}), "");
  EXPECT_EQ(network(member(), {"example.org", "evil.example"}), "network_too_wide");
  EXPECT_EQ(network(member(), {"example.org:22"}), "network_too_wide");
  EXPECT_EQ(network(member(), {"all"}), "network_too_wide");
  EXPECT_EQ(network(member(), {"all", "example.org"}), "bad_host");
  EXPECT_EQ(network(owner(), {"evil.example"}), "evil.example ");
  EXPECT_EQ(network(owner(), {"all"}), "all");
  configured_.network = "none";
  configured_.hosts.clear();
  EXPECT_EQ(network(member(), {"none"}), "");
  EXPECT_EQ(network(member(), {"example.org"}), "network_too_wide");
  configured_.network = "all";
  EXPECT_EQ(network(member(), {"example.org"}), "example.org ");
  request_.parent_job = "k1";
  configured_.network = "none";
  EXPECT_EQ(network(owner(), {"all"}), "network_too_wide");
}

TEST_F(JobSandboxTest, NothingKeepsAListWithoutASandbox) {
  request_.network = {"example.org"};
  EXPECT_EQ(granted(owner(), ""), "network_needs_sandbox");
  EXPECT_EQ(granted(owner(), "off"), "network_needs_sandbox");
  request_.network.clear();
  configured_.network = "hosts";
  configured_.hosts = {"example.org"};
  EXPECT_EQ(granted(owner(), ""), "network_needs_sandbox");
  EXPECT_EQ(granted(owner(), "off"), "") << "who says so knows that";
  request_.network = {"all"};
  EXPECT_EQ(granted(owner(), "off"), "");
}

TEST_F(JobSandboxTest, UnattendedSandboxIsNotForAPersonAtATerminal) {
  configured_.kind = "project";
  configured_.when = "unattended";
  EXPECT_EQ(granted(member(), ""), "project") << "a script, a flow, a hook";
  request_.at_terminal = true;
  EXPECT_EQ(granted(member(), ""), "");
  EXPECT_EQ(granted(member(), "strict"), "strict;");
  request_.parent_job = "k1";
  EXPECT_EQ(granted(owner(), ""), "project") << "an agent may have a terminal too";
  request_.parent_job.clear();
  Caller device = owner();
  device.device = CallerDevice{};
  EXPECT_EQ(granted(device, ""), "project");
  configured_.when = "always";
  EXPECT_EQ(granted(member(), ""), "project");
}

TEST_F(JobSandboxTest, SessionsCannotBeHeld) {
  request_.terminal = schema::Terminal::session;
  EXPECT_EQ(granted(owner(), "project"), "sandbox_session");
  EXPECT_EQ(granted(owner(), ""), "");
}

TEST_F(JobSandboxTest, AgentsStateIsWritableExceptWhatALaterAgentExecutes) {
  EXPECT_EQ(granted(owner(), "project"), "project");
  EXPECT_THAT(spec_.sandbox->write, Contains("/home/me/.claude"));
  EXPECT_THAT(spec_.sandbox->read, Contains("/home/me/.claude/settings.json"));
  configured_.write = {"~/.claude/settings.json", "~/.cache"};
  configured_.hide = {"/srv"};
  configured_.network = "none";
  EXPECT_EQ(granted(owner(), "project"), "project");
  EXPECT_THAT(spec_.sandbox->write, Contains("/home/me/.cache"));
  EXPECT_THAT(spec_.sandbox->read, Not(Contains("/home/me/.claude/settings.json")));
  EXPECT_THAT(spec_.sandbox->hide, Contains("/srv"));
  EXPECT_FALSE(spec_.sandbox->network);
}

TEST_F(JobSandboxTest, SettingsThatAVariableMovesAreOnlyReadToo) {
  spec_.uid = ::geteuid();
  for (const auto& [agent, variable, file] :
       {std::tuple("codex", "CODEX_HOME", "/moved/config.toml"),
        {"claude", "CLAUDE_CONFIG_DIR", "/moved/settings.json"},
        {"gemini", "GEMINI_CLI_HOME", "/moved/.gemini/settings.json"}}) {
    ::setenv(variable, "/moved", 1);
    spec_.agent = agent;
    profile_ = &find_agent(agent)->profile;
    EXPECT_EQ(granted(owner(), "project"), "project");
    EXPECT_THAT(spec_.sandbox->read, Contains(file));
    ::unsetenv(variable);
  }
}

TEST_F(JobSandboxTest, ProfileMovesStateToo) {
  AgentProfile codex = find_agent("codex")->profile;
  codex.env["CODEX_HOME"] = "/srv/codex";
  spec_.agent = "codex";
  profile_ = &codex;
  EXPECT_EQ(granted(owner(), "project"), "project");
  EXPECT_THAT(spec_.sandbox->write, testing::ElementsAre("/srv/codex")) << "and nothing that it does not use";
  EXPECT_THAT(spec_.sandbox->read, Contains("/srv/codex/config.toml"));
  codex.env["CODEX_HOME"] = "codex";
  EXPECT_EQ(granted(owner(), "project"), "project");
  EXPECT_THAT(spec_.sandbox->write, testing::ElementsAre("/home/me/.codex")) << "no absolute path";
}

TEST_F(JobSandboxTest, OnlyStateThatIsUsedIsWritable) {
  AgentProfile claude = find_agent("claude")->profile;
  claude.env["CLAUDE_CONFIG_DIR"] = "/srv/claude/";
  profile_ = &claude;
  EXPECT_EQ(granted(owner(), "project"), "project");
  EXPECT_THAT(spec_.sandbox->write, testing::ElementsAre("/srv/claude", "/home/me/.cache/claude-cli-nodejs"));
  EXPECT_THAT(spec_.sandbox->read, Contains("/srv/claude/hooks"));
  EXPECT_THAT(spec_.sandbox->read, Not(Contains("/home/me/.claude/hooks")));
  AgentProfile gemini = find_agent("gemini")->profile;
  gemini.env["GEMINI_CLI_HOME"] = "/srv/gemini";
  spec_.agent = "gemini";
  profile_ = &gemini;
  EXPECT_EQ(granted(owner(), "project"), "project");
  EXPECT_THAT(spec_.sandbox->write, testing::ElementsAre("/srv/gemini/.gemini"));
}

TEST_F(JobSandboxTest, StateOfEveryAgentIsBelowTheHome) {
  for (const Agent& agent : known_agents()) {
    EXPECT_FALSE(agent.state.empty()) << agent.name;
    for (const auto* list : {&agent.state, &agent.state_to_read, &agent.state_to_forget}) {
      for (const std::string path : *list) {
        EXPECT_TRUE(path.starts_with('.') && path.size() > 2 && path.find("..") == std::string::npos) << path;
      }
    }
  }
}

TEST_F(JobSandboxTest, CodexLeavesConfiningToOurs) {
  const Agent& codex = *find_agent("codex");
  const std::string name = "codex";
  const auto inside = permissions_of(owner(), request_, {}, {name, codex.profile}, true);
  const auto outside = permissions_of(owner(), request_, {}, {name, codex.profile});
  ASSERT_TRUE(inside && outside);
  const std::string none = R"(sandbox_mode="danger-full-access")";
  EXPECT_THAT(inside->in(codex.profile.command), Contains(none));
  EXPECT_THAT(outside->in(codex.profile.command), Not(Contains(none)));
  for (const auto& [word, only_reads] : {std::pair("plan", true), {"ask", true}, {"edits", false}}) {
    request_.permissions = word;
    const auto confined = permissions_of(owner(), request_, {}, {name, codex.profile}, true);
    ASSERT_TRUE(confined);
    EXPECT_THAT(confined->in(codex.profile.command), Contains(none)) << word;
    EXPECT_EQ(confined->only_reads(), only_reads) << "ours holds what " << word << " means";
    const auto free = permissions_of(owner(), request_, {}, {name, codex.profile});
    ASSERT_TRUE(free);
    EXPECT_FALSE(free->only_reads()) << "without a sandbox its own does";
    EXPECT_THAT(free->in(codex.profile.command), Not(Contains(none))) << word;
  }
}

TEST_F(JobSandboxTest, EveryAgentThatLeavesConfiningToOursSaysWhatThatMustHold) {
  for (const Agent& agent : known_agents()) {
    for (const auto& [level, options] : agent.permissions)
      EXPECT_FALSE(options.only_reads) << agent.name << ": without a sandbox nothing would hold it";
    for (const auto& [level, options] : agent.sandboxed_permissions)
      EXPECT_EQ(options.only_reads, level < Permissions::edits) << agent.name;
  }
}

TEST_F(JobSandboxTest, WhoOnlyReadsWritesItsStateAndItsJobDirectory) {
  spec_.agent = "codex";
  spec_.working_dir = "/home/me/web/";
  spec_.job_dir = "/jobs/j1";
  profile_ = &find_agent("codex")->profile;
  configured_.write = {"~/.cache", "~/.codex", "~/.codex/rules"};
  ASSERT_EQ(granted(owner(), "project"), "project");
  ASSERT_TRUE(keep_from_changes(spec_, *profile_));
  EXPECT_TRUE(spec_.sandbox->only_reads);
  EXPECT_THAT(spec_.sandbox->write, testing::ElementsAre("/home/me/.codex"));
  for (const char* path : {"/home/me/.cache", "/home/me/.codex/rules", "/home/me/.codex/config.toml"})
    EXPECT_THAT(spec_.sandbox->read, Contains(path));
  EXPECT_THAT(spec_.sandbox->read, Not(Contains("/home/me/.codex")));
  EXPECT_THAT(sandbox_words(spec_.sandbox.get()), testing::StartsWith("project; only reads the project; "));
  const auto read = spec_.sandbox->read;
  ASSERT_TRUE(keep_from_changes(spec_, *profile_)) << "nothing more to do";
  EXPECT_EQ(spec_.sandbox->read, read);
}

TEST_F(JobSandboxTest, WhatLiesInOrAroundAProjectThatIsOnlyReadIsRefused) {
  spec_.agent = "codex";
  profile_ = &find_agent("codex")->profile;
  for (const auto& [project, job, fits] : {std::tuple("/home/me", "/jobs/j1", false),
                                           {"/", "/jobs/j1", false},
                                           {"/home/me/.codex", "/jobs/j1", false},
                                           {"/home/me/.codex/worktrees/a/web", "/jobs/j1", false},
                                           {"/home/me/.cod", "/jobs/j1", true},
                                           {"/srv/", "/srv/jobs/j1", false}}) {
    spec_.working_dir = project;
    spec_.job_dir = job;
    ASSERT_EQ(granted(owner(), "strict"), "strict;");
    const Status kept = keep_from_changes(spec_, *profile_);
    EXPECT_EQ(kept.has_value(), fits) << project;
    EXPECT_EQ(spec_.sandbox->only_reads, fits);
    if (fits) continue;
    EXPECT_EQ(kept.error().code, "sandbox_cannot_hold");
    EXPECT_THAT(kept.error().message, testing::StartsWith("sandbox 'strict' cannot keep agent codex from "
                                                          "changes in " +
                                                          std::string(project) + ", because"));
  }
}

}  // namespace
}  // namespace luzia
