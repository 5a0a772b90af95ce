#include "adapters/agents/agents.h"

namespace luzia {
namespace opencode {

Agent agent() {
  Agent agent;
  agent.name = "opencode";
  agent.title = "opencode";
  agent.profile = agent_profile({"opencode", "run", "--format", "json"}, "opencode-json",
                                {"opencode", "run", "--format", "json", "--session", "{session_id}"});
  agent.profile.interactive = {"opencode", "--prompt", "{task}"};
  agent.login_files = {".local/share/opencode/auth.json"};
  agent.tools = {{"bash", "run", about::kRun},          {"grep", "search", about::kSearch},
                 {"glob", "search", about::kFind},      {"read", "read", about::kRead},
                 {"edit", "edit", about::kEdit},        {"write", "edit", about::kWrite},
                 {"webfetch", "web", about::kWebFetch}, {"todowrite", "plan", about::kPlan}};
  agent.changing_tools = {"edit", "multiedit", "write", "patch", "apply_patch"};
  return agent;
}

}  // namespace opencode
}  // namespace luzia
