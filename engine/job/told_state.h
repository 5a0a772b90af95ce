// Messages in a job's state: which one is in a prompt, and how their events change them. Private to
// engine/job except may_take(), is_news_for(), goes_on_unasked() and may_resume().
#pragma once

#include "engine/job/job.h"

namespace luzia {

/// Whether the attempt that runs may be shown the message: nobody has read it, and its prompt does not have
/// it.
bool may_take(const JobState& state, const view::ToldT& told);

/// Whether the prompt of the attempt that begins says it also in a session that goes on: nobody has read it,
/// only an agent that stood in for this one, or an agent that died soon after.
bool is_news_for(const JobState& state, const view::ToldT& told);

/// Whether its attempt can continue the session of an earlier one.
bool may_resume(const JobState& state);
/// Whether a person's message, or what the checks said, came after all answers that the attempt begins with.
bool message_is_newest(const JobState& state);
/// A session resumed after a deferred tool call asks the hook again by itself, if it gets no prompt. Then the
/// hook returns the decision.
bool goes_on_unasked(const JobState& state);

// Parts of evolve().
void take_told(JobState& state, const schema::JobTold& fact, const schema::Event& event);
void read_told(JobState& state, const schema::JobToldRead& fact, TimeUs time);
/// The attempt has ended: whether the agent's session has what it read last is unknown if the agent died.
void doubt_heard(JobState& state, const schema::AttemptEnded& fact);
/// An attempt begins: unless it gets no prompt, its prompt has what is unread.
void put_told_into_prompt(JobState& state);
/// The attempt has started: its agent has what its prompt says.
void hear_prompt(JobState& state);
/// The job goes on after an attempt that completed: it has heard what was read, unless by an agent that stood
/// in.
void forget_heard(JobState& state);

/// The attempt has started: what its prompt has is read. Nothing if there is none.
std::vector<NewEvent> read_by_prompt(const JobState& state);

}  // namespace luzia
