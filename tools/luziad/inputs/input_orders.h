// Converts clients' requests for prompts to engine commands, with the configuration's times and rules. Loop
// thread.
#pragma once

#include "adapters/config/config.h"
#include "adapters/config/gate_policy.h"
#include "engine/base/ids.h"
#include "engine/job/job.h"
#include "protocol.fb.h"

namespace luzia {

/// The deadline for an answer, and when to send reminders.
struct InputTimes {
  TimeUs deadline = 0;  // 0: none
  std::vector<TimeUs> remind = {};
};
/// From [questions]. `timeout_ms` 0: default_timeout. `bad_timeout` (usage) if it is over ten years.
Result<InputTimes> input_times(const Config& config, std::uint64_t timeout_ms, TimeUs now);

/// Whose gates apply to a request: those of the project, and the job's own (JobSpec.gates).
struct GatesOf {
  std::string project;
  std::vector<std::string> job_gates = {};
};

/// Sets in `request` the ruling of the gates ([projects.NAME.gates], JobSpec.gates), its rule, and when it is
/// approved automatically. The gates' setting wins over the agent's.
void apply_gate_rules(const Config& config, const GatesOf& of, RequestApproval& request, TimeUs now,
                      const CallPlace& place = {});

/// Whether a gate of the project or job, or a person's answer for this job, applies to the request. `job`:
/// null if it is not live.
bool is_gated(const Config& config, const std::string& project, const JobState* job,
              const wire::RequestApprovalT& request, const CallPlace& place = {});

/// The question to people about an attempt that prints nothing. Options: kKeepWaiting, the default if nobody
/// answers in time, and kStopIt.
AskQuestion silence_question(const Config& config, IdSource& ids, const JobState& job,
                             const std::string& text, TimeUs now);

/// Errors (usage): `bad_text` (a NUL), `bad_source` (reserved for the daemon), `bad_timeout`.
Result<AskQuestion> ask_order(const Config& config, IdSource& ids, const wire::AskQuestionT& request,
                              TimeUs now);
Result<RequestApproval> approval_order(const Config& config, IdSource& ids, const GatesOf& of,
                                       const wire::RequestApprovalT& request, TimeUs now,
                                       const CallPlace& place = {});
Result<AnswerQuestion> answer_order(const wire::AnswerQuestionT& request);

/// Adds a salt, as the log stores texts.
Blob salted_text(std::uint32_t index, std::string content);

}  // namespace luzia
