#include "tools/luzia-fleet/changed_rows.h"

#include <algorithm>
#include <span>

#include "engine/base/try.h"
#include "engine/base/utf8.h"
#include "engine/event/job_state.h"
#include "projections/query.h"
#include "projections/rows/times.h"
#include "tools/luzia-fleet/stored_values.h"

namespace luzia {
namespace {

/// Jobs in one query.
constexpr std::size_t kJobsAtOnce = 200;
/// Flows, solutions or facts that are asked for one by one. If there are more, all of the view are read.
constexpr std::size_t kMostSingle = 50;
/// Retries whose earlier ends are looked up in the past.
constexpr std::size_t kMostRetries = 100;
/// Ranges of days that are asked for one by one, and days that a range may have.
constexpr std::size_t kMostRanges = 16, kMostDays = 1'000;

using Visit = std::function<Status(const std::string& row, Position position)>;

wire::QueryT query_of_all(wire::View view) {
  wire::QueryT query;
  query.view = view;
  query.filter = std::make_unique<wire::FilterT>();
  query.limit = kMaxLimit;
  query.all_time = true;
  return query;
}

Status visit_rows(const AskRows& ask, const wire::QueryT& query, const Visit& visit) {
  for (wire::QueryT next(query);;) {
    auto page = LUZIA_TRY(ask(wire::QueryT(next)));
    for (const std::string& row : page.rows) {
      LUZIA_TRY(visit(row, page.position));
    }
    if (page.next.empty()) return {};
    next.cursor = std::move(page.next);
  }
}

template <class Row>
Result<const Row*> row_in(const std::string& bytes) {
  const Row* row = verified_row<Row>(as_bytes(bytes));
  if (row == nullptr) return bad_row();
  return row;
}

/// Lists have at most so much of the output of each step, a flow alone has more.
std::string as_in_lists(const view::Flow& row) {
  view::FlowT flow;
  row.UnPackTo(&flow);
  for (const auto& step : flow.steps) {
    if (step->output.size() > kOutputInLists)
      step->output = bounded_utf8(step->output, kOutputInLists) + "...";
  }
  return row_bytes(flow);
}

/// Without texts that only a job alone has, and without what changes by the moment.
std::string as_in_lists(const view::Job& row) {
  view::JobT job;
  row.UnPackTo(&job);
  job.told.clear();
  job.resident_kib = 0;
  if (job.message.size() > kTaskBytesInLists) job.message = bounded_utf8(job.message, kTaskBytesInLists);
  return row_bytes(job);
}

bool has_gates(const view::Flow& flow) {
  return flow.steps() != nullptr &&
         std::ranges::any_of(*flow.steps(), [](const auto* step) { return !text(step->gate()).empty(); });
}

/// Days next to each other as ranges: first and last.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_of(const Days& days) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  for (const std::uint32_t day : days) {
    if (!ranges.empty() && ranges.back().second + 1 == day) {
      ranges.back().second = day;
    } else {
      ranges.emplace_back(day, day);
    }
  }
  if (ranges.size() > kMostRanges) ranges = {{ranges.front().first, ranges.back().second}};
  return ranges;
}

/// The row for who asks the fleet for rows of the view.
std::string kept_bytes(wire::View view, const std::string& bytes) {
  const view::Job* job = view == wire::View::jobs ? verified_row<view::Job>(as_bytes(bytes)) : nullptr;
  return job == nullptr ? bytes : as_in_lists(*job);
}

/// Adds the rows of an export table, or of several, that a row of a view becomes.
Status add_row(ReadRows& read, wire::View view, const std::string& bytes, Position position, TimeUs as_of,
               bool all) {
  for (const ExportTable& table : export_tables()) {
    if (table.view != view) continue;
    std::vector<ExportRow> made;
    if (!table.append(as_bytes(bytes), as_of, made)) return bad_row();
    TableRows& rows = read.tables[table.name];
    for (ExportRow& values : made) {
      make_storable(table, values);
      if (!all && !rows.whole && !rows.owners.contains(owner_of(table, values))) continue;
      std::string key = key_of(table, values);
      FleetRow row{std::move(values), position};
      if (keeps_bytes(table)) row.bytes = kept_bytes(view, bytes);
      rows.rows.insert_or_assign(std::move(key), std::move(row));
    }
  }
  return {};
}

/// Whether lists omit the row: its job or flow was removed.
Result<bool> is_removed(wire::View view, const std::string& bytes) {
  if (view == wire::View::jobs) {
    const auto* job = LUZIA_TRY(row_in<view::Job>(bytes));
    return job->removed_us() != 0;
  }
  if (view == wire::View::flows) {
    const auto* flow = LUZIA_TRY(row_in<view::Flow>(bytes));
    return flow->removed_us() != 0;
  }
  return false;
}

class ChangedRows {
 public:
  ChangedRows(const AskRows& ask, const Touched& touched, TimeUs as_of)
      : ask_([this, &ask](wire::QueryT query) { return asked_page(ask, std::move(query)); }),
        touched_(touched),
        as_of_(as_of),
        tool_days_(touched.tool_days()) {}
  ChangedRows(const ChangedRows&) = delete;

  Result<ReadRows> read() {
    LUZIA_TRY(read_jobs());
    LUZIA_TRY(read_of_jobs(wire::View::questions, &TouchedJob::questions));
    LUZIA_TRY(read_of_jobs(wire::View::approvals, &TouchedJob::approvals));
    LUZIA_TRY(read_of_jobs(wire::View::issues, &TouchedJob::issues));
    LUZIA_TRY(read_flows());
    LUZIA_TRY(read_gates());
    LUZIA_TRY(read_days(wire::View::issue_days, touched_.issue_days()));
    LUZIA_TRY(read_days(wire::View::costs, touched_.cost_days()));
    LUZIA_TRY(read_days(wire::View::tools, tool_days_));
    find_earlier_ends();
    LUZIA_TRY(read_days(wire::View::outcomes, end_days_));
    LUZIA_TRY(read_named(wire::View::solutions, touched_.solutions(), "no_such_solution"));
    LUZIA_TRY(read_named(wire::View::facts, touched_.subjects(), {}));
    return std::move(read_);
  }

 private:
  using Ids = std::span<const std::string>;

  /// A row that is not there any more counts, too, as of the page without it.
  Result<RowPage> asked_page(const AskRows& ask, wire::QueryT query) {
    const bool is_of_now = query.at_position == 0;
    auto page = ask(std::move(query));
    if (page && is_of_now) read_.position = std::max(read_.position, page->position);
    return page;
  }
  void replace(wire::View view, std::string_view owner) {
    for (const ExportTable& table : export_tables()) {
      if (table.view == view) read_.tables[table.name].owners.insert(storable_name(owner));
    }
  }
  void replace_all(wire::View view) {
    for (const ExportTable& table : export_tables()) {
      if (table.view == view) read_.tables[table.name].whole = true;
    }
  }
  /// Rows of other owners than those to be replaced are left as they are.
  Status take(wire::View view, const std::string& bytes, Position position) {
    const bool removed = LUZIA_TRY(is_removed(view, bytes));
    return removed ? Status() : add_row(read_, view, bytes, position, as_of_, false);
  }
  Visit taking(wire::View view) {
    return [this, view](const std::string& row, Position position) { return take(view, row, position); };
  }

  std::vector<std::string> jobs_that(bool TouchedJob::*what) const {
    std::vector<std::string> ids;
    for (const auto& [id, job] : touched_.all_jobs()) {
      if (job.*what) ids.push_back(id);
    }
    return ids;
  }

  /// The rows of a view that are of these jobs. Jobs that have no row (their events are of a newer program)
  /// are left out.
  Status visit_jobs(wire::View view, Ids ids, Position at, const Visit& visit) {
    for (; ids.size() > kJobsAtOnce; ids = ids.subspan(kJobsAtOnce)) {
      LUZIA_TRY(visit_jobs(view, ids.first(kJobsAtOnce), at, visit));
    }
    if (ids.empty()) return {};
    wire::QueryT query = query_of_all(view);
    query.filter->jobs.assign(ids.begin(), ids.end());
    query.at_position = at;
    const Status read = visit_rows(ask_, query, visit);
    if (read || read.error().code != "no_such_job") return read;
    if (ids.size() == 1) return {};
    LUZIA_TRY(visit_jobs(view, ids.first(ids.size() / 2), at, visit));
    return visit_jobs(view, ids.subspan(ids.size() / 2), at, visit);
  }

  Status read_jobs() {
    std::vector<std::string> ids;
    for (const auto& [id, job] : touched_.all_jobs()) {
      ids.push_back(id);
      replace(wire::View::jobs, id);
    }
    return visit_jobs(wire::View::jobs, ids, 0, [this](const std::string& row, Position position) -> Status {
      const auto* job = LUZIA_TRY(row_in<view::Job>(row));
      note_days(*job);
      return take(wire::View::jobs, row, position);
    });
  }
  /// The days on which statistics have counted something of the job that has changed.
  void note_days(const view::Job& job) {
    if (is_terminal(job.state())) end_days_.insert(day_number(job.ended_us()));
    const auto known = touched_.all_jobs().find(std::string(text(job.id())));
    if (known == touched_.all_jobs().end() || !known->second.returned) return;
    // A call counts on the day on which it began; how long ago that was, only its job says.
    const TimeUs begin = earlier_moment(job.queued_us(), job.first_started_us());
    for (std::uint32_t day = day_number(begin); day < *touched_.tool_days().rbegin(); ++day) {
      tool_days_.insert(day);
      if (tool_days_.size() > kMostDays) return;
    }
  }

  Status read_of_jobs(wire::View view, bool TouchedJob::*what) {
    const std::vector<std::string> ids = jobs_that(what);
    for (const std::string& id : ids) replace(view, id);
    return visit_jobs(view, ids, 0, taking(view));
  }

  Status take_flow(const std::string& row, Position position) {
    const auto* flow = LUZIA_TRY(row_in<view::Flow>(row));
    const std::string id(text(flow->id()));
    left_flows_.erase(id);
    if (has_gates(*flow) && touched_.flows().contains(id)) gated_flows_.insert(id);
    replace(wire::View::flows, id);
    return take(wire::View::flows, row, position);
  }
  /// Flows that were touched, and those with steps that show what their jobs said last.
  Status read_flows() {
    left_flows_ = touched_.flows();
    for (const std::string& id : left_flows_) replace(wire::View::flows, id);
    const auto take_row = [this](const std::string& row, Position position) {
      return take_flow(row, position);
    };
    LUZIA_TRY(visit_jobs(wire::View::flows, jobs_that(&TouchedJob::spoke), 0, take_row));
    if (left_flows_.size() > kMostSingle) {
      LUZIA_TRY(visit_rows(
          ask_, query_of_all(wire::View::flows), [&](const std::string& row, Position position) -> Status {
            const auto* flow = LUZIA_TRY(row_in<view::Flow>(row));
            return left_flows_.contains(std::string(text(flow->id()))) ? take_flow(row, position) : Status();
          }));
    }
    // What is left was removed, unless there are few.
    for (const std::string& id : std::set<std::string>(left_flows_)) {
      LUZIA_TRY(visit_named(wire::View::flows, id, "no_such_flow",
                            [&](const std::string& row, Position position) -> Status {
                              const auto* flow = LUZIA_TRY(row_in<view::Flow>(row));
                              return take_flow(as_in_lists(*flow), position);
                            }));
    }
    return {};
  }
  Status read_gates() {
    for (const std::string& flow : gated_flows_) {
      read_.tables[approvals_export_table().name].owners.insert(storable_name(flow));
      LUZIA_TRY(visit_named(wire::View::approvals, flow, {}, taking(wire::View::approvals)));
    }
    return {};
  }

  /// Rows of what has this name. `missing`: code of the error that there is none.
  Status visit_named(wire::View view, const std::string& name, std::string_view missing, const Visit& visit) {
    wire::QueryT query = query_of_all(view);
    query.id = name;
    const Status read = visit_rows(ask_, query, visit);
    return read || missing.empty() || read.error().code != missing ? read : Status();
  }
  Status read_named(wire::View view, const std::set<std::string>& names, std::string_view missing) {
    for (const std::string& name : names) replace(view, name);
    if (names.size() > kMostSingle) return visit_rows(ask_, query_of_all(view), taking(view));
    for (const std::string& name : names) {
      LUZIA_TRY(visit_named(view, name, missing, taking(view)));
    }
    return {};
  }

  /// A retried job no longer counts on the day on which it had ended, as it stood before that event.
  void find_earlier_ends() {
    const auto note_end = [this](const std::string& row, Position) -> Status {
      const auto* job = LUZIA_TRY(row_in<view::Job>(row));
      if (is_terminal(job->state())) end_days_.insert(day_number(job->ended_us()));
      return {};
    };
    bool are_known = touched_.retries().size() <= kMostRetries;
    for (const auto& retry : touched_.retries()) {
      const std::span<const std::string> job(&retry.second, 1);
      are_known = are_known && visit_jobs(wire::View::jobs, job, retry.first - 1, note_end);
    }
    // The events of that time may be archived; then all days are read.
    if (!are_known) replace_all(wire::View::outcomes);
  }

  Status read_days(wire::View view, const Days& days) {
    if (days.size() > kMostDays) replace_all(view);
    if (is_whole(view)) return visit_rows(ask_, query_of_all(view), taking(view));
    for (const std::uint32_t day : days) replace(view, day_text(day));
    for (const auto& [first, last] : ranges_of(days)) {
      wire::QueryT query = query_of_all(view);
      query.filter->since_us = static_cast<TimeUs>(first) * kDayUs;
      query.filter->until_us = (static_cast<TimeUs>(last) + 1) * kDayUs;
      LUZIA_TRY(visit_rows(ask_, query, taking(view)));
    }
    return {};
  }
  bool is_whole(wire::View view) const {
    return std::ranges::any_of(export_tables(), [&](const ExportTable& table) {
      const auto rows = read_.tables.find(table.name);
      return table.view == view && rows != read_.tables.end() && rows->second.whole;
    });
  }

  const AskRows ask_;
  const Touched& touched_;
  const TimeUs as_of_;
  Days tool_days_, end_days_;
  std::set<std::string> left_flows_, gated_flows_;
  ReadRows read_ = {};
};

}  // namespace

bool keeps_bytes(const ExportTable& table) {
  return std::ranges::find(export_tables(), table.view, &ExportTable::view)->name == table.name;
}

Result<ReadRows> changed_rows(const AskRows& ask, const Touched& touched, TimeUs as_of) {
  return ChangedRows(ask, touched, as_of).read();
}

Status visit_all_rows(const AskRows& ask, TimeUs as_of, const std::function<Status(const ReadRows&)>& visit) {
  std::set<wire::View> seen;
  for (const ExportTable& table : export_tables()) {
    if (!seen.insert(table.view).second) continue;
    wire::QueryT query = query_of_all(table.view);
    do {
      auto page = LUZIA_TRY(ask(wire::QueryT(query)));
      ReadRows rows;
      rows.position = page.position;
      for (const std::string& row : page.rows) {
        LUZIA_TRY(add_row(rows, table.view, row, page.position, as_of, true));
      }
      LUZIA_TRY(visit(rows));
      query.cursor = std::move(page.next);
    } while (!query.cursor.empty());
  }
  return {};
}

Result<TimeUs> newest_time(const AskRows& ask) {
  wire::QueryT query = query_of_all(wire::View::jobs);
  query.limit = 1;
  const auto page = LUZIA_TRY(ask(std::move(query)));
  if (page.position == 0) return 0;
  wire::QueryT newest = query_of_all(wire::View::events);
  newest.limit = 1;
  newest.cursor = std::to_string(page.position - 1);
  const auto events = LUZIA_TRY(ask(std::move(newest)));
  if (events.rows.empty()) return 0;
  const auto* event = LUZIA_TRY(verify_event(as_bytes(events.rows.front())));
  return event->time_us();
}

}  // namespace luzia
