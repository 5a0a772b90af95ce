// Questions and approvals in a job's state: which are open, when something is due, how their events change
// it. Also the times during which an attempt waits for people or is paused. Private to engine/job except
// is_open(), find_input() and work_counts_from().
#pragma once

#include <string_view>

#include "engine/job/job.h"

namespace luzia {

bool is_open(const view::InputRequestT& input);
const view::InputRequestT* find_input(const JobState& state, std::string_view id);
/// Whether the job waits for this open request. An agent may work on beside it; then the job waits only once
/// its process ends to ask.
bool is_waited_for(const JobState& state, const view::InputRequestT& input);
/// Whether the agent has ended to wait for another tool call and will not come back to this one. If several
/// calls of one message are deferred, Claude Code (2.1.197) keeps only the last.
bool is_dropped(const JobState& state, const view::InputRequestT& input);
std::uint32_t count_open(const JobState& state);
/// Number of open requests that the agent made, including those beside which it works on. kMaxOpenInputs
/// limits it.
std::uint32_t count_asked(const JobState& state);

/// The earliest moment at which an open request is due for a reminder, its default answer, an automatic
/// approval or its deadline; 0: none.
TimeUs next_input_moment(const JobState& state);
TimeUs next_moment(const view::InputRequestT& input);

/// Whether a pause has stopped its processes. A job that is being stopped continues, so that it receives the
/// signal.
bool stands_still(const JobState& state);
/// How long this attempt has waited for people or was paused until `now`. Time limits do not run meanwhile.
std::uint64_t idle_us(const JobState& state, TimeUs now);
/// The moment from which the attempt's work counts: its start, moved forward by all waits and pauses that are
/// over.
TimeUs work_counts_from(const JobState& state);
/// The part of the attempt's wall time during which it worked.
std::uint64_t worked_us(const JobState& state, std::uint64_t wall_us, TimeUs now);

// Parts of evolve().
void evolve_question(JobState& state, const schema::QuestionEvent& question, const schema::Event& event);
void evolve_approval(JobState& state, const schema::ApprovalEvent& approval, const schema::Event& event);
void begin_wait(JobState& state, std::uint32_t open, TimeUs now);
/// When nothing is open any more, the time limits move by the length of the wait.
void end_wait(JobState& state, std::uint32_t open, TimeUs now);
/// Called after each lifecycle event: begins a pause, or ends it as end_wait() ends a wait. Time that is both
/// a wait and a pause counts as a wait only, so that it does not count twice.
void follow_pause(JobState& state, TimeUs now);
/// Forgets all requests except those whose answers the next attempt begins with.
void forget_inputs(JobState& state);
/// An attempt has begun: it finds the files of the requests that are left, and their answers.
void hand_on_inputs(JobState& state);
void shift_input_moments(JobState& state, TimeUs by);

}  // namespace luzia
