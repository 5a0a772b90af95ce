// Another program's settings: either refused, or a bounded list of servers that contains only names.
#include <string>

#include "adapters/mcp_files/mcp_files.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view text) {
  const auto servers = mcp_servers_in(text, "/p");
  if (!servers) {
    require(servers.error().code == "bad_mcp_file", "a refusal has its code");
    return;
  }
  require(servers->size() <= kMaxMcpServers, "the list is bounded");
  for (const McpServer& each : *servers) {
    require(!each.name.empty() && each.name.size() <= 200, "a server has a name");
    require(each.about.size() <= 200, "what is told of it is short");
    require(each.about.find('@') == std::string::npos || each.about.starts_with("program "),
            "no user of an address");
  }
}
