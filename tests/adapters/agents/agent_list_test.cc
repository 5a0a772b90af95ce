// The shipped agents: what the documents list, and what each profile must contain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "adapters/agents/decoders.h"
#include "engine/ports/agent.h"
#include "tests/adapters/agents/recorded_runs.h"

namespace luzia {
namespace {

using testing::Contains;
using testing::HasSubstr;

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
