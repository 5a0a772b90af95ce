// Events about questions and approvals that several deciders of the job return, and what follows when a
// request ends. Private to engine/job.
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

/// Source of the daemon's own questions.
inline constexpr const char* kMonitorSource = "monitor";
/// The event of the question alone, without the one that the job waits.
NewEvent asked_question(const JobState& state, const AskQuestion& command);
/// The daemon's open question about the attempt's silence; null: none.
const view::InputRequestT* open_silence_question(const JobState& state);

NewEvent cancelled_input(const JobState& state, const view::InputRequestT& input, std::string reason);
/// `channel` empty: reminds every channel that sends reminders.
NewEvent reminder(const JobState& state, const view::InputRequestT& input, std::string channel);
NewEvent delivered_input(const JobState& state, const view::InputRequestT& input, std::string channel);
/// The job begins to wait, or the number of open requests that it waits for changed to `open`.
NewEvent waiting_for(const JobState& state, std::uint32_t open);
NewEvent continued_with(const JobState& state, std::uint32_t open);

/// How a request ended.
enum class InputFate { answered, withdrawn, unanswered };
/// Adds what follows from the end of `input`. Always the new number of open requests. If the process has
/// already ended with questions open, also the next attempt, which begins with the answers, or the end of the
/// job.
Events with_what_follows(const JobState& state, Events events, const view::InputRequestT& input,
                         InputFate fate);

/// Events for the requests that are due by `now`; empty: none is due.
Events due_inputs(const JobState& state, TimeUs now);

/// Cancels the open requests before the job ends, except `except`: nobody would get the answers.
void cancel_open_inputs(const JobState& state, const std::string& reason, Events& events,
                        std::string_view except = {});

/// Handles an attempt that ended to ask (exit code 100). While a request is open, the job waits. If all
/// answers have come meanwhile, the next attempt begins with them. Requests that the attempt did not wait for
/// do not count. False: it has asked nothing.
bool ends_asking(const JobState& state, Events& events);

}  // namespace luzia
