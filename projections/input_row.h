// What questions, approvals and the workspace change in the row of their job. A part of fold_job_row, pure as
// it is.
#pragma once

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// How many are open, the files as they were before the attempt, and the tree of its own while there is one.
/// Any other event changes nothing.
void fold_input(view::JobT& row, const schema::Event& event);

}  // namespace luzia
