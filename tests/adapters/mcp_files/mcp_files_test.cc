// Reads MCP servers from other programs' files: names and programs, but no secrets.
#include "adapters/mcp_files/mcp_files.h"

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"

namespace luzia {
namespace {

std::string told(const std::vector<McpServer>& servers) {
  std::string all;
  for (const McpServer& each : servers) all += each.name + "=" + each.about + ";";
  return all;
}

TEST(McpFiles, OnlyNamesAndProgramsAreRead) {
  const auto servers = mcp_servers_in(R"({"mcpServers":{
      "files":{"command":"/home/ana/secret-folder/npx --token t0ps3cret","args":["-y","--key","t0ps3cret"]},
      "remote":{"type":"http","url":"https://ana:t0ps3cret@mcp.example.com:8443/v1?key=t0ps3cret",
                "headers":{"Authorization":"t0ps3cret"}},
      "odd":{}, "none":7, "":{"command":"x"}}})");
  ASSERT_TRUE(servers);
  EXPECT_EQ(told(*servers), "files=program npx;odd=;remote=at mcp.example.com;");
  EXPECT_THAT(told(*servers), Not(HasSubstr("t0ps3cret")));
}

TEST(McpFiles, ProjectsInOneFileAreSeparate) {
  const std::string text =
      R"({"mcpServers":{"all":{"command":"a"}},"projects":{"/srv/web":{"mcpServers":{"own":{"command":"b"}}}}})";
  EXPECT_EQ(told(*mcp_servers_in(text, "/srv/web")), "all=program a;own=program b;");
  EXPECT_EQ(told(*mcp_servers_in(text, "/srv/other")), "all=program a;");
}

TEST(McpFiles, InvalidFileIsRefusedOrEmpty) {
  for (const char* text : {"", "{", "not json", "\xff\xfe", "{\"a\":\"\\ud800"}) {
    EXPECT_FALSE(mcp_servers_in(text)) << text;
  }
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_FALSE(mcp_servers_in(deep));
  EXPECT_FALSE(mcp_servers_in("// it's 3\" wide\n" + deep)) << "the quote in the comment hides nothing";
  EXPECT_TRUE(mcp_servers_in("{} // " + deep));
  for (const char* text : {"[]", "7", "null", "{}", R"({"mcpServers":[]})", R"({"mcpServers":{"a":[]}})"}) {
    const auto servers = mcp_servers_in(text, "/p");
    ASSERT_TRUE(servers) << text;
    EXPECT_TRUE(servers->empty()) << text;
  }
  std::string many = R"({"mcpServers":{)";
  for (int i = 0; i < 200; ++i) many += (i ? ",\"s" : "\"s") + std::to_string(i) + "\":{}";
  EXPECT_EQ(mcp_servers_in(many + "}}")->size(), kMaxMcpServers);
}

TEST(McpFiles, LinksFoldersAndPipesAreNotRead) {
  const ScratchFolder scratch;
  const std::string& folder = scratch.path();
  std::ofstream(folder + "/real.json") << R"({"mcpServers":{"a":{"command":"x"}}})";
  std::filesystem::create_symlink(folder + "/real.json", folder + "/link.json");
  EXPECT_EQ(read_mcp_servers(folder + "/real.json")->size(), 1U);
  EXPECT_EQ(read_mcp_servers(folder + "/link.json")->size(), 0U);
  EXPECT_EQ(read_mcp_servers(folder)->size(), 0U);
  EXPECT_EQ(read_mcp_servers(folder + "/none.json")->size(), 0U);
  EXPECT_EQ(read_mcp_servers("/dev/zero")->size(), 0U);
  std::ofstream(folder + "/real.json") << "{";
  const auto broken = read_mcp_servers(folder + "/real.json");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("real.json"));
}

}  // namespace
}  // namespace luzia
