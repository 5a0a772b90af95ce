// What clients ask of people as commands of the engine, with the configuration's times and rules in them.
// Loop thread.
#pragma once

#include "adapters/config/config.h"
#include "adapters/config/gate_policy.h"
#include "engine/base/ids.h"
#include "engine/job/job.h"
#include "protocol.fb.h"

namespace luzia {

/// Until when somebody may answer, and when people are told again.
struct InputTimes {
  TimeUs deadline = 0;  // 0: none
  std::vector<TimeUs> remind = {};
};
/// Of [questions]; `timeout_ms` 0: default_timeout. `bad_timeout` (usage) when it is over ten years.
Result<InputTimes> input_times(const Config& config, std::uint64_t timeout_ms, TimeUs now);

/// Puts into `request` what [projects.NAME.gates] say of it, its rule, and when it is approved by itself: the
/// project's word counts before the agent's.
void apply_gate_rules(const Config& config, const std::string& project, RequestApproval& request, TimeUs now,
                      const CallPlace& place = {});

/// Whether a gate of the project, or what a person said for this job, has to do with the request. `job`: null
/// where it is not live.
bool is_gated(const Config& config, const std::string& project, const JobState* job,
              const wire::RequestApprovalT& request, const CallPlace& place = {});

/// What people are asked about an attempt that prints nothing: kKeepWaiting, which counts when nobody says
/// anything in time, or kStopIt.
AskQuestion silence_question(const Config& config, IdSource& ids, const JobState& job,
                             const std::string& text, TimeUs now);

/// Errors (usage): `bad_text` (a NUL), `bad_source` (one that only the daemon has), `bad_timeout`.
Result<AskQuestion> ask_order(const Config& config, IdSource& ids, const wire::AskQuestionT& request,
                              TimeUs now);
Result<RequestApproval> approval_order(const Config& config, IdSource& ids, const std::string& project,
                                       const wire::RequestApprovalT& request, TimeUs now,
                                       const CallPlace& place = {});
Result<AnswerQuestion> answer_order(const wire::AnswerQuestionT& request);

/// Salted, as the log keeps texts.
Blob salted_text(std::uint32_t index, std::string content);

}  // namespace luzia
