#include "engine/job/job_removal.h"

namespace luzia {
namespace {

/// Refuses to remove a job that has not ended, and says how to end it.
tl::unexpected<Error> refuse_alive(const JobState& state) {
  return fail(
      ErrorKind::refused, "job_alive",
      "cannot remove job " + state.job + ": it has not ended (" + schema::EnumNameJobState(state.state) + ")",
      state.tracked ? hint_for_tracked(state) : "luzia cancel " + state.job + " ends it first");
}

NewEvent erased(const JobState& state, const TextPlace& text) {
  return job_event(state.job,
                   schema::BlobErasedT{{}, text.event, text.index, "job " + state.job + " is purged"});
}

void forget_words(JobState& state) {
  state.prompt.reset();
  state.env.reset();
  state.own_env.reset();
  state.own_session.clear();
  state.handover.clear();
  state.stop_note.clear();
  state.outcome_text.clear();
  state.limit.clear();
  state.session_id.clear();
  state.log.clear();
  state.sessions.clear();
  state.inputs.clear();
  state.decided.clear();
  state.answers.clear();
  state.told.clear();
  state.allowed.clear();
  state.refused.clear();
  state.fixables.clear();
  state.checkpoint.reset();  // it holds a hash of the output
  for (auto* spec : {&state.spec, &state.background_spec, &state.own_spec}) {
    if (!*spec) continue;
    (*spec)->tags.clear();
    (*spec)->env.reset();
    for (const auto& other : (*spec)->fallbacks) {
      other->tags.clear();
      other->env.reset();
    }
  }
}

}  // namespace

bool is_purged(const JobState& state) {
  return state.removed && !state.prompt;
}

void remove_job(JobState& state, const schema::JobRemoved& fact) {
  state.removed = true;
  if (fact.purged()) forget_words(state);
}

void expire_files(JobState& state, const schema::FilesExpired& fact) {
  if (fact.files() != schema::KeptFiles::directory) return;
  if (state.spec) state.spec->job_dir = kExpiredJobDir;
  if (state.background_spec) state.background_spec->job_dir = kExpiredJobDir;
}

Status has_directory(const JobState& state, const std::string& what) {
  if (!state.spec || state.spec->job_dir != kExpiredJobDir) return {};
  return fail(ErrorKind::refused, "files_expired",
              "cannot " + what + " job " + state.job + ": its directory expired ([keep] job_dirs or size)",
              "dispatch the task again: luzia job " + state.job + " shows it");
}

tl::unexpected<Error> refuse_removed(const JobState& state, const std::string& what) {
  return fail(ErrorKind::refused, "job_removed",
              "cannot " + what + " job " + state.job + ": it was removed (luzia rm)",
              "luzia why " + state.job + " says by whom; dispatch the task again");
}

Decided decide_command(const JobState& state, const RemoveJob& command, TimeUs /*now*/) {
  if (!is_terminal(state.state)) return refuse_alive(state);
  if (command.purge && command.seen_version != state.version) {
    return fail(ErrorKind::refused, "job_changed",
                "cannot remove job " + state.job + ": it changed while its texts were looked up",
                "send the command again");
  }
  Events events;
  if (!state.removed || (command.purge && !is_purged(state))) {
    schema::JobRemovedT fact;
    // A directory that another tool made stays where that tool expects it.
    fact.files = !is_foreign(state);
    fact.purged = command.purge;
    fact.note = command.note;
    events.push_back(job_event(state.job, std::move(fact)));
  }
  if (!command.purge) return events;
  for (const TextPlace& text : command.texts) events.push_back(erased(state, text));
  return events;
}

Decided decide_command(const JobState& state, const ExpireFiles& command, TimeUs /*now*/) {
  if (!is_terminal(state.state)) return refuse_alive(state);
  if (state.removed || is_foreign(state) || !has_directory(state, "")) return Events();
  schema::FilesExpiredT fact;
  fact.files = command.files;
  fact.rule = command.rule;
  fact.bytes = command.bytes;
  return one(job_event(state.job, std::move(fact)));
}

}  // namespace luzia
