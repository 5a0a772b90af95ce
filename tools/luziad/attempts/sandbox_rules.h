// What a sandboxed attempt sees, as rules for luzia-run (ShownPaths in tools/luzia-run/options.h). Reads the
// file system: worker threads.
#pragma once

#include <string>
#include <vector>

#include "engine/job/job.h"
#include "engine/ports/agent.h"

namespace luzia {

/// Luzia's own places beside the job's.
struct SandboxPlaces {
  std::string door;                 // folder of the socket for sandboxed attempts; shown
  std::vector<std::string> hidden;  // the store, the configuration, files with secrets; also ~/
  std::string client_program;       // luzia; shown
};

/// Where an agent keeps logins and sessions, as places_of() knows it; never the home itself, at which a
/// variable may point.
std::vector<std::string> state_to_hide(const Agent& agent, const std::string& home, const std::string& moved);

/// Variables that would lead out of the sandbox of `spec`, or to something that is not in there, are removed
/// from `env`; its temporary folder, caches and the daemon's socket become those inside.
void confine_environment(std::vector<std::string>& env, const schema::JobSpecT& spec,
                         const std::string& door);

/// Sets the variables by which programs find the proxy of a sandbox that reaches these hosts only.
void lead_through_proxy(std::vector<std::string>& env, const std::vector<std::string>& hosts);

/// `argv` and `env`: of the attempt. Later rules count more.
std::vector<std::string> sandbox_rules(const schema::JobSpecT& spec, const SandboxPlaces& places,
                                       const std::vector<std::string>& argv,
                                       const std::vector<std::string>& env);

/// What of that is only read once the checks before the agent have passed: nothing, unless its permissions
/// say so.
std::vector<std::string> guarded_paths(const schema::JobSpecT& spec);

}  // namespace luzia
