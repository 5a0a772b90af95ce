// Jobs grouped by the attention they need: the overview that `status` shows, as JSON, as Markdown and for
// people. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/row_tables.h"
#include "projections/rows/table.h"
#include "view.fb.h"

namespace luzia {

struct AttentionGroup {
  std::string_view key;    // needs_input, working, queued, parked, ended
  std::string_view title;  // for people
  Colour colour = Colour::none;
  std::vector<const view::Job*> jobs;  // in the order given
  std::uint64_t total = 0;             // there are; `jobs` may be the first of them
};

/// All five groups, also empty ones. The jobs must outlive them.
std::vector<AttentionGroup> group_by_attention(const std::vector<const view::Job*>& jobs, TimeUs now);

/// Whether a job ended otherwise than it should and nobody wanted that.
bool ended_badly(const view::Job& job);

/// The groups as people see them, the most urgent first: what failed has one of its own, behind what needs
/// input. Of `groups` as of group_by_attention().
std::vector<AttentionGroup> shown_groups(std::vector<AttentionGroup> groups);

/// Why all queued jobs of a group wait, if it is the same for all of them and there are several; else empty.
/// Not made harmless.
std::string_view common_reason(const AttentionGroup& group, const QueueEntries& queue);

/// Queued jobs that the status view names; of more it names the first. What works and what has ended is to
/// stay on the screen. Who moves about in a list sees more of them.
constexpr std::size_t kQueuedInStatus = 10, kQueuedInLongStatus = 100;
constexpr std::size_t kNoneEnded = ~std::size_t{0};  // they are not shown, and so not counted
/// Whether more may be queued, or have ended, than the groups name; then the totals of their projects tell
/// how many. `most_ended`: so many ended ones were asked for.
bool names_some(const std::vector<AttentionGroup>& groups, std::size_t most_ended);
/// `ended`: those too.
void count_all(std::vector<AttentionGroup>& groups, const std::vector<const view::ProjectTotals*>& totals,
               bool ended);
/// How many a group has, for its heading: "5", "the first 100 of 1,234", of ended ones "5 of 1,234".
std::string group_count(const AttentionGroup& group);
/// Where the queued jobs are listed that the group does not name; empty when it names all, or is another.
std::string others_hint(const AttentionGroup& group);

/// What is told beside the jobs: what is paused (pauses.h), alerts, and what people are asked or are to do.
/// The rows must outlive the call.
using Pauses = std::vector<const view::QueueSwitch*>;
using ShownAlerts = std::vector<const view::Alert*>;
struct StatusNotes {
  Pauses pauses = {};
  ShownAlerts alerts = {};
  ShownQuestions questions = {};  // open ones, as the next
  ShownApprovals approvals = {};
  std::vector<ManualStep> manual_steps = {};
  QueueEntries queue = {};  // why queued jobs do not start
};

/// Flows with a step that waits at a gate, or that people are to do.
std::size_t waiting_flows(const StatusNotes& notes);

/// {"time","time_us","position","paused":[...],"counts":{group:N},"alerts":[...],"questions":[...],
/// "approvals":[...],"manual_steps":[...],group:[jobs]...}
std::string status_json(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        Position position);

/// What is paused, the alerts, then a titled table per group that has jobs; empty when there is nothing. Of
/// jobs that need input it is told what they ask. `height` 0: the most urgent first. Else it fits into that
/// many lines of a terminal, if what needs input does: the most urgent stands last, above the prompt, and of
/// other groups the first rows are shown.
std::string status_text(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        const TableStyle& style, std::size_t height = 0);

/// The same in few lines: what is paused, the alerts, what people are asked or are to do for flows, then a
/// line per job in the order of the groups, without titles.
std::string status_text_compact(const std::vector<AttentionGroup>& groups, const StatusNotes& notes,
                                TimeUs now, const TableStyle& style);

/// The alerts, then what jobs have warned of and how they failed; empty when there is nothing.
std::string alerts_text(const std::vector<const view::Job*>& jobs, const ShownAlerts& alerts,
                        const TableStyle& style);

/// A report in Markdown: what is paused, the alerts, a table per group that has jobs.
std::string status_markdown(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now);

}  // namespace luzia
