// Messages to a job's agent in the job's row. Pure, any thread.
#pragma once

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// A row keeps so many messages, the newest.
constexpr std::size_t kMostToldInRow = 16;

void fold_told(view::JobT& row, const schema::JobTold& fact, const schema::Event& event);
void fold_told_read(view::JobT& row, const schema::JobToldRead& fact, TimeUs time);

}  // namespace luzia
