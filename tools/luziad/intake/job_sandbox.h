// The sandbox of a new job: who may choose it, and what it shows beside what every sandbox does. Loop thread.
//
// The project's word, else the agent's, else that of [jobs], applies to everyone's jobs; with sandbox_when =
// "unattended" not to those that a person dispatches at a terminal. A dispatch may make
// it stricter; to weaken it takes root or the daemon's own user, and never a job's agent.
#pragma once

#include "adapters/config/config.h"
#include "protocol.fb.h"
#include "tools/luziad/base/caller.h"

namespace luzia {

/// Sets `sandbox` of a spec that has its account and agent. Errors: `bad_sandbox` (usage): no such
/// word; `sandbox_too_weak` (refused); `sandbox_session` (refused): its terminal would be a session, which
/// people join with a program that the agent can command; `bad_host` (usage); `network_too_wide` (refused);
/// `network_needs_sandbox` (usage): hosts are named, and nothing would hold the job to them.
Status fill_sandbox(schema::JobSpecT& spec, const Caller& caller, const wire::DispatchJobT& request,
                    const SandboxConfig& configured, const AgentProfile& profile);

/// Has the sandbox of `spec` keep everything from the agent's changes but its own state and the job
/// directory. `sandbox_cannot_hold` (refused): one of them lies in the project, so that it would be kept too,
/// or around it.
Status keep_from_changes(schema::JobSpecT& spec, const AgentProfile& profile);

}  // namespace luzia
