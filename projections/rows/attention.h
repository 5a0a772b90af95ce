// Jobs grouped by the attention they need: the overview that `status` shows, as JSON, as Markdown and for
// people. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"
#include "projections/rows/table.h"
#include "view.fb.h"

namespace luzia {

struct AttentionGroup {
  std::string_view key;    // needs_input, working, queued, parked, ended
  std::string_view title;  // for people
  Colour colour = Colour::none;
  std::vector<const view::Job*> jobs;  // in the order given
};

/// All five groups, also empty ones. The jobs must outlive them.
std::vector<AttentionGroup> group_by_attention(const std::vector<const view::Job*>& jobs);

/// What is paused, told beside the jobs (pauses.h); the rows must outlive the call.
using Pauses = std::vector<const view::QueueSwitch*>;

/// {"time","time_us","position","paused":[pauses],"counts":{group:N},group:[jobs]...}
std::string status_json(const std::vector<AttentionGroup>& groups, const Pauses& pauses, TimeUs now,
                        Position position);

/// What is paused, then a titled table per group that has jobs; empty when there is none of both.
std::string status_text(const std::vector<AttentionGroup>& groups, const Pauses& pauses, TimeUs now,
                        const TableStyle& style);

/// A report in Markdown: what is paused, a table per group that has jobs.
std::string status_markdown(const std::vector<AttentionGroup>& groups, const Pauses& pauses, TimeUs now);

}  // namespace luzia
