#include "adapters/mcp_files/mcp_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/descriptor.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxText = 200;

std::string text_of(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Returns "npx" for "/usr/bin/npx": a full path may contain private names.
std::string program_of(const std::string& command) {
  const std::string name = command.substr(command.rfind('/') + 1);
  return name.substr(0, name.find_first_of(" \t"));
}

/// Returns "mcp.example.com" for a URL, without user, password, port, path and query.
std::string host_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return {};
  std::string host = url.substr(scheme + 3);
  host.resize(std::min(host.size(), host.find_first_of("/?#")));
  if (const std::size_t user = host.rfind('@'); user != std::string::npos) host.erase(0, user + 1);
  host.resize(std::min(host.size(), host.find(':')));
  return host;
}

void take_servers(const Json& holder, std::vector<McpServer>& servers) {
  const auto named = holder.find("mcpServers");
  if (named == holder.end() || !named->is_object()) return;
  for (const auto& [name, server] : named->items()) {
    if (servers.size() >= kMaxMcpServers) return;
    const bool known = std::ranges::find(servers, name, &McpServer::name) != servers.end();
    if (!server.is_object() || name.empty() || known) continue;
    const std::string program = program_of(text_of(server, "command")),
                      host = host_of(text_of(server, "url"));
    std::string about = !program.empty() ? "program " + program : !host.empty() ? "at " + host : "";
    servers.push_back({bounded_utf8(name, kMaxText), bounded_utf8(about, kMaxText)});
  }
}

}  // namespace

Result<std::vector<McpServer>> mcp_servers_in(std::string_view text, std::string_view project_path) {
  bool deep = false;  // a tree that is deeper takes stack for each level
  const auto is_kept = [&deep](int depth, Json::parse_event_t, const Json&) {
    deep = deep || depth > kMaxDepth;
    return !deep;
  };
  const Json root = Json::parse(text, is_kept, false, /*ignore_comments=*/true);
  if (deep || root.is_discarded()) {
    return fail(ErrorKind::usage, "bad_mcp_file", "it is no JSON, or nested too deeply");
  }
  std::vector<McpServer> servers;
  if (!root.is_object()) return servers;
  if (!project_path.empty()) {
    const auto projects = root.find("projects");
    if (projects != root.end() && projects->is_object()) {
      const auto own = projects->find(std::string(project_path));
      if (own != projects->end() && own->is_object()) take_servers(*own, servers);
    }
  }
  take_servers(root, servers);
  std::ranges::sort(servers, {}, &McpServer::name);
  return servers;
}

Result<std::vector<McpServer>> read_mcp_servers(const std::string& path, std::string_view project_path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  const bool sound = file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_size >= 0 && static_cast<std::size_t>(status.st_size) <= kMaxMcpFileBytes;
  if (!sound) return std::vector<McpServer>{};
  const auto text = read_up_to(file.get(), static_cast<std::size_t>(status.st_size));
  auto servers = mcp_servers_in(text.value_or(std::string()), project_path);
  if (!servers) {
    Error error = servers.error();
    error.message = "reading " + path + ": " + error.message;
    return tl::unexpected(error);
  }
  return servers;
}

}  // namespace luzia
