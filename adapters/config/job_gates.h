// Gates of one job, beside those of its project: named at dispatch or in lines of its task. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/config/gate_policy.h"

namespace luzia {

constexpr std::size_t kMaxJobGates = 20;

/// Whether it is a gate's name, or a tool with a pattern ("Bash(git push*)"): UTF-8 without control
/// characters, at most kMaxGateName bytes; a name has no spaces.
bool is_gate_name(std::string_view name);

/// The gates that lines of a task name: "gate: database_migration", "- Gate: Bash(git push*)". Each once. One
/// more than kMaxJobGates at most: the caller refuses a task that names too many, because a gate that was
/// left out would be open. Other lines that begin with the word are text.
std::vector<std::string> gates_in_task(std::string_view task);

/// The project's ruling. If one of the job's own gates matches the request, a person is asked, unless the
/// project never allows it: a job's gates only make the project's rules stricter.
GateRuling judge_job_gate(const std::map<std::string, GatePolicy>& of_project,
                          const std::vector<std::string>& of_job, const GateRequest& request);

}  // namespace luzia
