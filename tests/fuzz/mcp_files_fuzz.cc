// Another program's settings: either refused, or a bounded list of servers that contains only names.
#include <cstdint>
#include <string>

#include "adapters/mcp_files/mcp_files.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace luzia;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto servers = mcp_servers_in(text, "/p");
  if (!servers) {
    require(servers.error().code == "bad_mcp_file", "a refusal has its code");
    return 0;
  }
  require(servers->size() <= kMaxMcpServers, "the list is bounded");
  for (const McpServer& each : *servers) {
    require(!each.name.empty() && each.name.size() <= 200, "a server has a name");
    require(each.about.size() <= 200, "what is told of it is short");
    require(each.about.find('@') == std::string::npos || each.about.starts_with("program "),
            "no user of an address");
  }
  return 0;
}
