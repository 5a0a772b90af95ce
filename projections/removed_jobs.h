// What a removal leaves of a job's row: enough to say that the job existed, how it ended and what it cost.
// Pure.
#pragma once

#include "engine/base/time.h"
#include "event.fb.h"
#include "view.fb.h"

namespace luzia {

inline bool is_removal(const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  return job != nullptr && job->fact_as_JobRemoved() != nullptr;
}

/// Part of fold_job_row(). After a purge the row has no words of people or agents; the task was only in the
/// log.
void remove_job(view::JobT& row, const schema::JobRemoved& fact, TimeUs time);

/// Part of fold_job_row(): the output, or the directory, was let go, and by which rule.
void expire_files(view::JobT& row, const schema::FilesExpired& fact, TimeUs time);

}  // namespace luzia
