// Jobs grouped by the attention they need: the overview of `status` as JSON, as Markdown and for people. Any
// thread.
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
  std::uint64_t total = 0;             // how many there are; `jobs` may have only the first
  std::string_view reason = {};        // in the heading: common_reason(), or recent_ends_text()
};

/// All five groups, including empty ones; each job is in one of them. The jobs must outlive them.
std::vector<AttentionGroup> group_by_attention(const std::vector<const view::Job*>& jobs, TimeUs now);

/// Whether a job ran and ended in a way that nobody wanted: it neither completed nor was cancelled.
bool ended_badly(const view::Job& job);
/// How many of the jobs that it counts ended_badly().
std::uint64_t bad_ends(const view::OutcomeDay& ends);

/// The time for which an overview counts all ends and names the bad ones, and how many of these it adds to
/// the jobs that ended last.
constexpr TimeUs kRecentEndsUs = kDayUs;
constexpr std::string_view kRecentWords = "in the last 24 hours";
constexpr std::size_t kFailedInStatus = 10;
/// "in the last 24 hours: 180 completed, 20 failed"; empty: nothing ended. `is_cut`: only the last ones of
/// that time are counted.
std::string recent_ends_text(const view::OutcomeDay& ends, bool is_cut);

/// Why the queued jobs of a group wait, if there are several and all wait for the same reason; else empty.
/// The text is not escaped for terminals.
std::string_view common_reason(const AttentionGroup& group, const QueueEntries& queue);

/// Maximum number of queued jobs that the status view names, so that working and ended jobs stay on the
/// screen. An interactive list (kQueuedInLongStatus) names more.
constexpr std::size_t kQueuedInStatus = 10, kQueuedInLongStatus = 100;
constexpr std::size_t kNoneEnded = ~std::size_t{0};  // ended jobs are not shown, so they are not counted
/// Whether there may be more queued or ended jobs than the groups name; then the totals of the projects tell
/// how many. `most_ended`: how many ended jobs were requested.
bool names_some(const std::vector<AttentionGroup>& groups, std::size_t most_ended);
/// Sets the groups' totals. `ended`: also counts ended jobs.
void count_all(std::vector<AttentionGroup>& groups, const std::vector<const view::ProjectTotals*>& totals,
               bool ended);
/// Number of jobs for a group's heading: "5", "the first 100 of 1,234", for ended ones "5 of 1,234".
std::string group_count(const AttentionGroup& group);
/// Where to list the queued jobs that the group does not name; empty if it names all or is another group.
std::string others_hint(const AttentionGroup& group);

/// What is shown beside the jobs: pauses (pauses.h), alerts, and what people have to answer or do. The rows
/// must outlive the call.
using Pauses = std::vector<const view::QueueSwitch*>;
using ShownAlerts = std::vector<const view::Alert*>;
struct StatusNotes {
  Pauses pauses = {};
  ShownAlerts alerts = {};
  ShownQuestions questions = {};  // open ones; `approvals` too
  ShownApprovals approvals = {};
  std::vector<ManualStep> manual_steps = {};
  QueueEntries queue = {};                   // why queued jobs do not start
  const view::OutcomeDay* recent = nullptr;  // ends within kRecentEndsUs; null: not known
  bool recent_is_cut = false;                // only the last ones of that time are counted
  const RowMachines* machines = nullptr;     // of the rows, for JSON and Markdown; null: all are of one
};

/// The groups as people see them, most urgent first: failed jobs form a group of their own after those that
/// need input. `groups`: the result of group_by_attention().
std::vector<AttentionGroup> shown_groups(std::vector<AttentionGroup> groups, const StatusNotes& notes);

/// Number of flows with a step that waits at a gate or for a person to do it.
std::size_t waiting_flows(const StatusNotes& notes);
/// How many jobs and flows need a person: those of the group, flows, and queued jobs that ask.
std::size_t needing_input(const AttentionGroup& needs_input, const StatusNotes& notes);

/// {"time","time_us","position","paused":[...],"counts":{group:N},"last_day":{state:N...,"is_cut"},
/// "alerts":[...],"questions":[...],"approvals":[...],"manual_steps":[...],group:[jobs]...}. last_day: the
/// ends within kRecentEndsUs, if they are known; `is_cut`: only the last ones of that time. Of several
/// machines each row has its `machine`, and `machines` says which have answered.
std::string status_json(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        Position position);

/// What is paused, the alerts, then a titled table for each group that has jobs; empty if there is nothing.
/// For jobs that need input, shows what they ask. `height` 0: the most urgent group first. Otherwise the text
/// fits into `height` lines of a terminal: the most urgent group comes last, above the prompt, and other
/// groups show only their first rows. The group that needs input is never cut.
std::string status_text(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now,
                        const TableStyle& style, std::size_t height = 0);

/// The same in few lines: what is paused, the alerts, prompts and manual steps of flows, then one line per
/// job in the order of the groups, without titles.
std::string status_text_compact(const std::vector<AttentionGroup>& groups, const StatusNotes& notes,
                                TimeUs now, const TableStyle& style);

/// The alerts, then the warnings and failures of jobs; empty if there is nothing.
std::string alerts_text(const std::vector<const view::Job*>& jobs, const ShownAlerts& alerts,
                        const TableStyle& style);

/// A report in Markdown: what is paused, the alerts, a table for each group that has jobs.
std::string status_markdown(const std::vector<AttentionGroup>& groups, const StatusNotes& notes, TimeUs now);

}  // namespace luzia
