// Reads which servers of the Model Context Protocol a project's .mcp.json or ~/.claude.json names. These are
// other programs' files and may contain anything, including secrets. So only names and the program or host
// are read, never arguments, environments or headers. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct McpServer {
  std::string name;
  std::string about;  // "program npx", "at mcp.example.com"; empty: unknown
};

constexpr std::size_t kMaxMcpFileBytes = 4 << 20;
constexpr std::size_t kMaxMcpServers = 64;

/// Returns the servers under "mcpServers", ordered by name. With `project_path`, includes those under
/// "projects"/PATH/"mcpServers" (~/.claude.json). Skips entries that are not servers. `bad_mcp_file` (usage):
/// not JSON, or nested too deeply.
Result<std::vector<McpServer>> mcp_servers_in(std::string_view text, std::string_view project_path = {});

/// Reads the same from a file. Empty if there is none, or it is not a regular file of at most
/// kMaxMcpFileBytes; links are not followed.
Result<std::vector<McpServer>> read_mcp_servers(const std::string& path, std::string_view project_path = {});

}  // namespace luzia
