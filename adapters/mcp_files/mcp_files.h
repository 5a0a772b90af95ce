// Servers of the Model Context Protocol that settings name: a project's .mcp.json, and ~/.claude.json. What
// is read is another program's file: anything may stand there, secrets too, so that only names and the
// program or host are taken, never arguments, environments or headers. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct McpServer {
  std::string name;
  std::string about;  // "program npx", "at mcp.example.com"; empty: not known
};

constexpr std::size_t kMaxMcpFileBytes = 4 << 20;
constexpr std::size_t kMaxMcpServers = 64;

/// The servers under "mcpServers" of a file's text; with `project_path` also those under
/// "projects"/PATH/"mcpServers" (~/.claude.json). By name; what is no server is left out. `bad_mcp_file`
/// (usage): no JSON, or nested too deeply.
Result<std::vector<McpServer>> mcp_servers_in(std::string_view text, std::string_view project_path = {});

/// The same from a file. Empty where there is none, or what is there is no regular file of at most
/// kMaxMcpFileBytes; links are not followed.
Result<std::vector<McpServer>> read_mcp_servers(const std::string& path, std::string_view project_path = {});

}  // namespace luzia
