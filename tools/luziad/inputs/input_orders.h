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

/// Sets in `request` the project's ruling ([projects.NAME.gates]), its rule, and when it is approved
/// automatically. The project's setting wins over the agent's.
void apply_gate_rules(const Config& config, const std::string& project, RequestApproval& request, TimeUs now,
                      const CallPlace& place = {});

/// Whether a gate of the project, or a person's answer for this job, applies to the request. `job`: null if
/// it is not live.
bool is_gated(const Config& config, const std::string& project, const JobState* job,
              const wire::RequestApprovalT& request, const CallPlace& place = {});

/// The question to people about an attempt that prints nothing. Options: kKeepWaiting, the default if nobody
/// answers in time, and kStopIt.
AskQuestion silence_question(const Config& config, IdSource& ids, const JobState& job,
                             const std::string& text, TimeUs now);

/// Errors (usage): `bad_text` (a NUL), `bad_source` (reserved for the daemon), `bad_timeout`.
Result<AskQuestion> ask_order(const Config& config, IdSource& ids, const wire::AskQuestionT& request,
                              TimeUs now);
Result<RequestApproval> approval_order(const Config& config, IdSource& ids, const std::string& project,
                                       const wire::RequestApprovalT& request, TimeUs now,
                                       const CallPlace& place = {});
Result<AnswerQuestion> answer_order(const wire::AnswerQuestionT& request);

/// Adds a salt, as the log stores texts.
Blob salted_text(std::uint32_t index, std::string content);

}  // namespace luzia
