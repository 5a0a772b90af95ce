// Changes of a job's row by questions, approvals and the workspace. A part of fold_job_row; pure.
#pragma once

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Updates the number of open requests, the snapshot of files before the attempt, and the job's own worktree
/// while there is one. Ignores all other events.
void fold_input(view::JobT& row, const schema::Event& event);

}  // namespace luzia
