// The shipped agents: what the documents list, and what each profile must contain.
#include <set>

#include "adapters/agents/decoders.h"
#include "engine/ports/agent.h"
#include "tests/adapters/agents/recorded_runs.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(AgentList, DocumentationListsEveryAgent) {
  const std::string page = read_file(source_path("tools/docs/agents.md"));
  for (const Agent& agent : known_agents()) {
    const std::string row = "| `" + std::string(agent.name) + "` | " + std::string(agent.title) + " | `" +
                            agent.profile.output + "` | " + (agent.profile.resume.empty() ? "no" : "yes");
    EXPECT_THAT(page, HasSubstr(row));
    EXPECT_THAT(read_file(source_path("README.md")), HasSubstr("`" + std::string(agent.name) + "`"));
  }
}

TEST(AgentList, EachProfileNamesProgramAndSession) {
  std::set<std::string_view> names;
  for (const Agent& agent : known_agents()) {
    EXPECT_TRUE(names.insert(agent.name).second) << agent.name;
    ASSERT_FALSE(agent.profile.command.empty());
    EXPECT_EQ(agent.profile.command.front(), agent.name);
    EXPECT_EQ(agent.profile.resume.front(), agent.profile.command.front());
    EXPECT_THAT(agent.profile.resume, Contains(HasSubstr("{session_id}")));
    EXPECT_THAT(agent.profile.interactive, Contains("{task}"));
    EXPECT_FALSE(agent.changing_tools.empty()) << agent.name;
    ASSERT_FALSE(agent.tools.empty()) << agent.name;
    for (const AgentTool& tool : agent.tools)
      EXPECT_FALSE(tool.name.empty() || tool.category.empty() || tool.about.empty()) << agent.name;
  }
}

TEST(AgentList, EachAgentHasAllPermissionsAndAPlaceForThem) {
  for (const Agent& agent : known_agents()) {
    EXPECT_EQ(agent.permissions.size(), permission_words().size()) << agent.name;
    EXPECT_THAT(agent.profile.command, Contains(kPermissionsPlace)) << agent.name;
    EXPECT_THAT(agent.profile.resume, Contains(kPermissionsPlace)) << agent.name;
    EXPECT_FALSE(agent.login_variables.empty()) << agent.name;
  }
}

TEST(AgentList, GatesKnowToolsByClaudesNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"run_shell_command", "Bash"}, {"bash", "Bash"},      {"shell", "Bash"},        {"Bash", "Bash"},
      {"write_file", "Write"},       {"create", "Write"},   {"replace", "Edit"},      {"apply_patch", "Edit"},
      {"grep_search", "Grep"},       {"read_file", "Read"}, {"webfetch", "WebFetch"}, {"mine", "mine"}};
  for (const auto& [tool, usual] : cases) EXPECT_EQ(usual_tool(tool), usual) << tool;
}

TEST(AgentCommands, PermissionsReplaceTheirPlace) {
  EXPECT_THAT(with_permissions({"a", "{permissions}", "-"}, {"--x", "y"}, false),
              ElementsAre("a", "--x", "y", "-"));
  EXPECT_THAT(with_permissions({"a", "{permissions}"}, {}, true), ElementsAre("a"));
}

TEST(AgentCommands, PermissionsWithoutAPlaceComeBeforeStandardInput) {
  EXPECT_THAT(with_permissions({"a", "-"}, {"--x"}, true), ElementsAre("a", "--x", "-"));
  EXPECT_THAT(with_permissions({"a", "-"}, {"--x"}, false), ElementsAre("a", "-"));
}

TEST(AgentCommands, ResumeKeepsTheCommandsOwnOptions) {
  EXPECT_THAT(resume_of(*find_agent("claude"), {"/opt/claude", "-p", "--model", "m"}),
              ElementsAre("/opt/claude", "-p", "--model", "m", "--resume", "{session_id}"));
  EXPECT_THAT(resume_of(*find_agent("codex"), {"codex", "exec", "--json", "-"}),
              ElementsAre("codex", "exec", "--json", "resume", "{session_id}", "-"));
}

TEST(AgentCommands, ShellCodeCannotBeResumed) {
  EXPECT_TRUE(resume_of(*find_agent("claude"), {"sh", "-c", "claude -p \"$(cat {prompt_file})\""}).empty());
}

TEST(AgentCommands, TasksThatAreExecutedAreCode) {
  for (const std::vector<std::string>& code : {std::vector<std::string>{"sh", "{task_file}"},
                                               {"sh", "-c", "{task}"},
                                               {"bash", "-ec", "set -x; {task}"}})
    EXPECT_TRUE(takes_code(code)) << code.back();
  for (const std::vector<std::string>& other : {std::vector<std::string>{},
                                                {"claude", "-p", "{task}"},
                                                {"sh", "-c", "cat {prompt_file} > heard"},
                                                {"tool", "--exec", "{task}"}})
    EXPECT_FALSE(takes_code(other)) << (other.empty() ? "none" : other.back());
}

TEST(AgentCommands, ProfileIsKnownByItsNameOrProgram) {
  EXPECT_EQ(agent_of("claude", {"./mine"}), find_agent("claude"));
  EXPECT_EQ(agent_of("fast", {"/opt/bin/codex", "exec"}), find_agent("codex"));
  EXPECT_EQ(agent_of("fast", {"mytool"}), nullptr);
}

TEST(AgentCommands, ProfilesPassTheirOwnVariablesToo) {
  AgentProfile profile;
  profile.command = {"mytool"};
  profile.pass_env = {"MY_KEY"};
  EXPECT_THAT(passed_variables("mine", profile), ElementsAre("MY_KEY"));
  EXPECT_THAT(passed_variables("claude", profile), AllOf(Contains("MY_KEY"), Contains("ANTHROPIC_API_KEY")));
}

TEST(AgentList, EachFormatHasItsOwnDecoder) {
  const auto decoders = line_decoders();
  for (const std::string& format : agent_formats()) {
    EXPECT_NE(decoders(format), decoders("text")) << format;
    EXPECT_EQ(decoders(format), decoders(format));
  }
}

TEST(AgentList, FileChangingToolsOfAllAgentsAreKnown) {
  for (const char* tool : {"Edit", "apply_patch", "write_file", "Write", "create"}) {
    EXPECT_TRUE(changes_files(tool)) << tool;
  }
  for (const char* tool : {"Read", "view", "bash", ""}) EXPECT_FALSE(changes_files(tool)) << tool;
}

}  // namespace
}  // namespace luzia
