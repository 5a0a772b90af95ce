// What a removal leaves of the row of its job: enough to say that there was one, what became of it and what
// it cost. Pure.
#pragma once

#include "engine/base/time.h"
#include "event.fb.h"
#include "view.fb.h"

namespace luzia {

inline bool is_removal(const schema::Event& event) {
  const auto* job = event.payload_as_JobEvent();
  return job != nullptr && job->fact_as_JobRemoved() != nullptr;
}

/// Part of fold_job_row(). After a purge the row has no word of a person or an agent any more; the task is in
/// the log alone.
void remove_job(view::JobT& row, const schema::JobRemoved& fact, TimeUs time);

}  // namespace luzia
