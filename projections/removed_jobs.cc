#include "projections/removed_jobs.h"

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
  row.reported.reset();
  row.log.clear();
  if (row.progress) row.progress->step_name.clear();
}

}  // namespace

void remove_job(view::JobT& row, const schema::JobRemoved& fact, TimeUs time) {
  if (row.removed_us == 0) row.removed_us = time;
  if (fact.purged()) forget_words(row);
}

}  // namespace luzia
