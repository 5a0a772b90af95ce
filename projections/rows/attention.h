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

/// Alerts to be shown with the jobs; empty where they are not asked for.
using ShownAlerts = std::vector<const view::Alert*>;

/// {"time","time_us","position","counts":{group:N},"alerts":[...],group:[jobs]...}
std::string status_json(const std::vector<AttentionGroup>& groups, const ShownAlerts& alerts, TimeUs now,
                        Position position);

/// The alerts, then a titled table per group that has jobs; empty when there is nothing.
std::string status_text(const std::vector<AttentionGroup>& groups, const ShownAlerts& alerts, TimeUs now,
                        const TableStyle& style);

/// The alerts, then what jobs have warned of and how they failed; empty when there is nothing.
std::string alerts_text(const std::vector<const view::Job*>& jobs, const ShownAlerts& alerts,
                        const TableStyle& style);

/// A report in Markdown with a table per group that has jobs.
std::string status_markdown(const std::vector<AttentionGroup>& groups, const ShownAlerts& alerts, TimeUs now);

}  // namespace luzia
