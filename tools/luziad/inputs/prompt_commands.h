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
  TimeUs answer_by = 0;  // when people mean to have answered; 0: no such moment

  void apply_to(auto& request) const {
    request.deadline = deadline;
    request.answer_by = answer_by;
    request.remind = remind;
  }
};

/// Who asks: its project, the job's own gates (JobSpec.gates) and its priority.
struct AskingJob {
  std::string project;
  std::vector<std::string> job_gates = {};
  std::uint8_t priority = 5;
};
AskingJob asking_job(const JobState& job);

/// From [questions] and the project. `timeout_ms` 0: default_timeout. Reminders are fractions of the time
/// until the deadline or the moment by which people mean to answer, whichever comes first. `bad_timeout`
/// (usage) if it is over ten years.
Result<InputTimes> input_times(const Config& config, std::uint64_t timeout_ms, TimeUs now,
                               const AskingJob& asking = {});

/// Sets in `request` the ruling of the gates ([projects.NAME.gates], JobSpec.gates), its rule, and when it is
/// approved automatically. The gates' setting wins over the agent's.
void apply_gate_rules(const Config& config, const AskingJob& of, RequestApproval& request, TimeUs now,
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
Result<AskQuestion> make_question(const Config& config, IdSource& ids, const wire::AskQuestionT& request,
                                  TimeUs now, const AskingJob& asking = {});
Result<RequestApproval> make_approval(const Config& config, IdSource& ids, const AskingJob& of,
                                      const wire::RequestApprovalT& request, TimeUs now,
                                      const CallPlace& place = {});
Result<AnswerQuestion> make_answer(const wire::AnswerQuestionT& request);

}  // namespace luzia
