#include "engine/job/input_events.h"

#include <algorithm>

#include "engine/job/input_state.h"
#include "engine/job/job_budget.h"

namespace luzia {
namespace {

using schema::EndReason;
using view::InputKind;
using St = schema::JobState;

/// Answers that the agent has not received, or only in a file that it may not have read.
std::vector<std::string> unheard_answers(const JobState& state, const std::string& just_answered) {
  std::vector<std::string> ids;
  for (const auto& input : state.inputs) {
    const bool unheard = input->answered && (!input->delivered || input->source == "file");
    if (input->attempt != state.attempt || is_dropped(state, *input)) continue;
    if (unheard || input->id == just_answered) ids.push_back(input->id);
  }
  return ids;
}

NewEvent resumed_with(const JobState& state, std::vector<std::string> answers) {
  schema::JobRetriedT fact;
  fact.attempt = state.next_attempt;
  fact.note = answers.size() == 1 ? "with the answer" : "with the answers";
  fact.answers = std::move(answers);
  return job_event(state.job, std::move(fact));
}

/// The agent's process has ended and no request is open any more.
NewEvent go_on(const JobState& state, std::vector<std::string> answers) {
  if (answers.empty()) {
    return ended_job(state, St::failed, EndReason::question_unanswered,
                     "its question was not answered, and it had ended to wait for that");
  }
  const std::string budget = used_up_budget(state);
  if (!budget.empty()) {
    return ended_job(state, St::failed, EndReason::budget_exceeded,
                     "it is answered, but its budget of " + budget + " is used up");
  }
  return resumed_with(state, std::move(answers));
}

Events question_deadline(const JobState& state, const view::InputRequestT& input) {
  if (!input.default_answer.empty()) {
    schema::QuestionAnsweredT fact;
    fact.question = input.id;
    fact.by_default = true;
    return with_what_follows(state, one(job_event(state.job, std::move(fact))), input, InputFate::answered);
  }
  return with_what_follows(state, one(job_event(state.job, schema::QuestionTimedOutT{{}, input.id})), input,
                           InputFate::unanswered);
}

Events approval_moment(const JobState& state, const view::InputRequestT& input, schema::Decision decision,
                       const char* policy) {
  schema::ApprovalDecidedT fact;
  fact.approval = input.id;
  fact.decision = decision;
  fact.policy = policy;
  return with_what_follows(state, one(job_event(state.job, std::move(fact))), input, InputFate::answered);
}

}  // namespace

const view::InputRequestT* open_silence_question(const JobState& state) {
  for (const auto& input : state.inputs) {
    if (input->source == kMonitorSource && is_open(*input)) return input.get();
  }
  return nullptr;
}

NewEvent cancelled_input(const JobState& state, const view::InputRequestT& input, std::string reason) {
  if (input.kind == InputKind::question) {
    return job_event(state.job, schema::QuestionCancelledT{{}, input.id, std::move(reason)});
  }
  return job_event(state.job, schema::ApprovalCancelledT{{}, input.id, std::move(reason)});
}

NewEvent reminder(const JobState& state, const view::InputRequestT& input, std::string channel) {
  if (input.kind == InputKind::question) {
    return job_event(state.job,
                     schema::QuestionRemindedT{{}, input.id, std::move(channel), input.reminded + 1});
  }
  return job_event(state.job,
                   schema::ApprovalRemindedT{{}, input.id, std::move(channel), input.reminded + 1});
}

NewEvent delivered_input(const JobState& state, const view::InputRequestT& input, std::string channel) {
  if (input.kind == InputKind::question) {
    return job_event(state.job, schema::AnswerDeliveredT{{}, input.id, std::move(channel)});
  }
  return job_event(state.job, schema::DecisionDeliveredT{{}, input.id, std::move(channel)});
}

NewEvent waiting_for(const JobState& state, std::uint32_t open) {
  return job_event(state.job, schema::JobWaitingT{{}, open});
}
NewEvent continued_with(const JobState& state, std::uint32_t open) {
  return job_event(state.job, schema::JobContinuedT{{}, open});
}

Events with_what_follows(const JobState& state, Events events, const view::InputRequestT& input,
                         InputFate fate) {
  if (input.source == kMonitorSource) return events;
  const bool waited = is_waited_for(state, input);
  const std::uint32_t open = count_open(state) - (waited ? 1 : 0);
  if (waited) events.push_back(continued_with(state, open));
  const bool process_over = state.attempt_over && state.state == St::waiting;
  if (fate == InputFate::unanswered && !process_over && !state.stop_requested) {
    events.push_back(stop_request(state, schema::StopReason::unanswered));
  }
  if (process_over && fate == InputFate::unanswered) {
    cancel_open_inputs(state, "another question of the job was not answered in time", events, input.id);
    events.push_back(
        ended_job(state, St::failed, EndReason::question_unanswered, "nobody answered its question in time"));
  } else if (process_over && open == 0) {
    const std::string answered = fate == InputFate::answered ? input.id : std::string();
    events.push_back(go_on(state, unheard_answers(state, answered)));
  }
  return events;
}

Events due_inputs(const JobState& state, TimeUs now) {
  for (const auto& input : state.inputs) {
    const TimeUs moment = next_moment(*input);
    if (moment == 0 || moment > now) continue;
    const auto is_due = [now](TimeUs at) { return at != 0 && at <= now; };
    const bool gives_up_first = input->deadline_us != 0 && input->deadline_us <= input->auto_after_us;
    if (is_due(input->auto_after_us) && !gives_up_first) {
      return approval_moment(state, *input, schema::Decision::approved, "nobody objected in time");
    }
    if (is_due(input->deadline_us)) {
      return input->kind == InputKind::question
                 ? question_deadline(state, *input)
                 : approval_moment(state, *input, schema::Decision::expired, "nobody decided in time");
    }
    return one(reminder(state, *input, {}));
  }
  return {};
}

void cancel_open_inputs(const JobState& state, const std::string& reason, Events& events,
                        std::string_view except) {
  bool any = false;
  for (const auto& input : state.inputs) {
    if (!is_open(*input) || input->id == except) continue;
    events.push_back(cancelled_input(state, *input, reason));
    any = any || is_waited_for(state, *input);
  }
  if (any) events.push_back(continued_with(state, 0));
}

bool ends_asking(const JobState& state, Events& events) {
  // Without a process, the job also waits for requests beside which its agent worked on.
  const auto open = static_cast<std::uint32_t>(std::ranges::count_if(state.inputs, [&](const auto& input) {
    return is_open(*input) && input->source != kMonitorSource && !is_dropped(state, *input);
  }));
  const bool waits_on = open > 0;
  std::vector<std::string> answers = unheard_answers(state, "");
  if (!waits_on && answers.empty()) return false;
  const std::uint32_t counted = count_open(state);
  if (open > counted) events.insert(events.begin(), waiting_for(state, open));
  for (const auto& input : state.inputs) {
    const bool dropped = is_dropped(state, *input);
    if (!is_open(*input) || (input->source != kMonitorSource && !dropped)) continue;
    events.push_back(cancelled_input(
        state, *input, dropped ? "its agent ended without this tool call" : "the attempt has ended"));
  }
  if (open < counted) events.push_back(continued_with(state, open));
  if (!waits_on) events.push_back(go_on(state, std::move(answers)));
  return true;
}

}  // namespace luzia
