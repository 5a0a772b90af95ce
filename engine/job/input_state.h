// Questions and approvals within a job's state: what is open, when something is due, and how their events
// change it; and the times that an attempt does not work, waiting for people or paused. Private to engine/job
// but for is_open(), find_input() and work_counts_from().
#pragma once

#include <string_view>

#include "engine/job/job.h"

namespace luzia {

bool is_open(const view::InputRequestT& input);
const view::InputRequestT* find_input(const JobState& state, std::string_view id);
/// Whether the job waits for it while it is open: an agent that works on does not, until it ends to ask.
bool is_waited_for(const JobState& state, const view::InputRequestT& input);
/// Whether its agent has ended to wait for another tool call and will not come back to this one: of several
/// calls of one message that are deferred, Claude Code (2.1.197) keeps the last alone.
bool is_dropped(const JobState& state, const view::InputRequestT& input);
/// Those that the job waits for.
std::uint32_t count_open(const JobState& state);
/// Those that its agent asked, beside which it may work on too: what kMaxOpenInputs bounds.
std::uint32_t count_asked(const JobState& state);

/// The earliest moment at which an open request is reminded of, answered by default, approved or given up;
/// 0: none.
TimeUs next_input_moment(const JobState& state);
TimeUs next_moment(const view::InputRequestT& input);

/// Whether its processes stand still by a pause: one that is being stopped goes on to hear of it.
bool stands_still(const JobState& state);
/// How long this attempt has waited for people or was paused by `now`: no time limit runs meanwhile.
std::uint64_t idle_us(const JobState& state, TimeUs now);
/// The moment from which its present work counts: the attempt's start, moved on by all waits and pauses that
/// are over.
TimeUs work_counts_from(const JobState& state);
/// Of an attempt's wall time, what it worked.
std::uint64_t worked_us(const JobState& state, std::uint64_t wall_us, TimeUs now);

// Parts of evolve().
void evolve_question(JobState& state, const schema::QuestionEvent& question, const schema::Event& event);
void evolve_approval(JobState& state, const schema::ApprovalEvent& approval, const schema::Event& event);
void begin_wait(JobState& state, std::uint32_t open, TimeUs now);
/// Time limits move on by as long as it took when nothing is open any more.
void end_wait(JobState& state, std::uint32_t open, TimeUs now);
/// After each event of its life: begins a pause, or ends it as end_wait() does. Of a moment that it waits for
/// a person as well only the wait counts, so that none counts twice.
void follow_pause(JobState& state, TimeUs now);
/// All requests but those whose answers the next attempt begins with.
void forget_inputs(JobState& state);
void shift_input_moments(JobState& state, TimeUs by);

}  // namespace luzia
