// Events about questions and approvals that several deciders of the job return, and what follows when one is
// over. Private to engine/job.
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

NewEvent question_event(std::string_view job, schema::QuestionFactUnion fact);
NewEvent approval_event(std::string_view job, schema::ApprovalFactUnion fact);
template <class Fact>
NewEvent question_event(std::string_view job, Fact fact) {
  schema::QuestionFactUnion u;
  u.Set(std::move(fact));
  return question_event(job, std::move(u));
}
template <class Fact>
NewEvent approval_event(std::string_view job, Fact fact) {
  schema::ApprovalFactUnion u;
  u.Set(std::move(fact));
  return approval_event(job, std::move(u));
}

/// Of the daemon's own questions.
inline constexpr const char* kMonitorSource = "monitor";
/// Without saying that the job waits.
NewEvent asked_question(const JobState& state, const AskQuestion& command);
/// The daemon's open question about the attempt's silence; null: none.
const view::InputRequestT* open_silence_question(const JobState& state);
/// A polite stop of an attempt that has printed nothing for long.
NewEvent stop_silent(const JobState& state, schema::StopReason reason, std::string note);

NewEvent cancelled_input(const JobState& state, const view::InputRequestT& input, std::string reason);
/// `channel` empty: everybody who is told of reminders.
NewEvent reminder(const JobState& state, const view::InputRequestT& input, std::string channel);
NewEvent delivered_input(const JobState& state, const view::InputRequestT& input, std::string channel);
/// So many are open now: one more, or one less.
NewEvent waiting_for(const JobState& state, std::uint32_t open);
NewEvent continued_with(const JobState& state, std::uint32_t open);

/// How a request ended.
enum class InputFate { answered, withdrawn, unanswered };
/// Adds what the end of `input` brings about: the count of what is open and, where the process waits no
/// longer but has ended asking, the attempt that begins with the answers, or the job's end.
Events with_what_follows(const JobState& state, Events events, const view::InputRequestT& input,
                         InputFate fate);

/// What is due of the requests by `now`; nothing: no events.
Events due_inputs(const JobState& state, TimeUs now);

/// Before an end: nobody will hear the answers to what is open
/// (but for `except`).
void cancel_open_inputs(const JobState& state, const std::string& reason, Events& events,
                        std::string_view except = {});

/// An attempt that ended by asking (exit code 100), what it did not wait for left out: stays as it is while
/// something is open, begins anew with answers that came meanwhile; false: it has asked nothing.
bool ends_asking(const JobState& state, Events& events);

}  // namespace luzia
