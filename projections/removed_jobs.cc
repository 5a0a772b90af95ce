#include "projections/removed_jobs.h"

#include "engine/event/event.h"

namespace luzia {
namespace {

/// Keeps cost, outcome and model, so that statistics count the job as before.
void forget_words(view::JobT& row) {
  row.tags.clear();
  row.reason_detail.clear();
  row.last_line.clear();
  row.last_warning.clear();
  row.failure.reset();
  row.outcome_text.clear();
  row.limit.clear();
  row.session_id.clear();
  row.sessions.clear();
  row.todo.clear();
  row.told.clear();
  row.told_omitted = row.told_unread = 0;
  row.reported.reset();
  row.log.clear();
  if (row.progress) row.progress->step_name.clear();
}

/// What took the directory first is kept: nothing can be taken after it.
void lose_files(view::JobT& row, bool directory, std::string_view rule, TimeUs time) {
  if (row.dir_gone) return;
  row.files_gone_us = time;
  row.dir_gone = directory;
  row.files_gone_rule = rule;
}

/// "jobs = 365d" of the note "[keep] jobs = 365d"; empty: a person wrote the note.
std::string_view rule_of_note(std::string_view note) {
  constexpr std::string_view kBegin = "[keep] ";
  return note.starts_with(kBegin) ? note.substr(kBegin.size()) : std::string_view();
}

}  // namespace

void remove_job(view::JobT& row, const schema::JobRemoved& fact, TimeUs time) {
  if (row.removed_us == 0) row.removed_us = time;
  if (fact.files()) lose_files(row, true, rule_of_note(text(fact.note())), time);
  if (fact.purged()) forget_words(row);
}

void expire_files(view::JobT& row, const schema::FilesExpired& fact, TimeUs time) {
  lose_files(row, fact.files() == schema::KeptFiles::directory, text(fact.rule()), time);
}

}  // namespace luzia
