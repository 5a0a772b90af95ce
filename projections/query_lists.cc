// Pages of the queue and its switches, of activity, totals and durations.

#include "engine/base/local_time.h"
#include "engine/base/whole_number.h"
#include "projections/activity.h"
#include "projections/alerts.h"
#include "projections/devices.h"
#include "projections/durations.h"
#include "projections/hooks.h"
#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "projections/named_rows_page.h"
#include "projections/query_pages.h"
#include "projections/queue.h"
#include "projections/queue_reasons.h"
#include "projections/rows/event_text.h"
#include "projections/rows/row_bytes.h"
#include "projections/schedules.h"
#include "projections/spending.h"
#include "projections/stream_events.h"
#include "projections/totals.h"

namespace luzia {
namespace {

/// Lists are for a quick look; the event has the whole text.
constexpr std::size_t kMaxTextBytes = 400;

tl::unexpected<Error> bad_cursor(const std::string& cursor) {
  return fail(ErrorKind::usage, "bad_cursor", "'" + cursor + "' is not a cursor of this list",
              "give the value of \"next\" of the page before");
}

/// Cursor in the queue: rank, '-', position of JobQueued. It stays valid when jobs before it start.
std::string queue_cursor(const view::QueueEntryT& entry) {
  return std::to_string(9 - std::min<int>(9, entry.priority)) + "-" + std::to_string(entry.queued_position);
}

using QueueCursor = std::pair<std::uint64_t, std::uint64_t>;

Result<QueueCursor> read_queue_cursor(const std::string& cursor) {
  if (cursor.empty()) return QueueCursor{0, 0};
  const std::size_t dash = cursor.find('-');
  if (dash == std::string::npos || dash == 0 || dash + 1 == cursor.size()) return bad_cursor(cursor);
  const auto rank = cursor_number(cursor.substr(0, dash));
  const auto position = cursor_number(cursor.substr(dash + 1));
  if (!rank || !position) return bad_cursor(cursor);
  return QueueCursor{*rank, *position};
}

bool takes_entry(const QueryFilter& filter, const ViewReader& rows, const view::QueueEntryT& entry) {
  if (!filter.takes_job_id(entry.job) || !filter.takes_time(entry.queued_us)) return false;
  if (!filter.takes_project(entry.project) || !filter.takes_agent(entry.agent)) return false;
  if (!filter.needs_job_row()) return true;
  const auto row = read_row<view::Job>(rows, kJobsView, entry.job);
  return row && filter.takes_job(**row);
}

/// Adds the texts of activity rows (newest first) from their events.
Status join_texts(std::vector<view::ActivityT>& told, const EventLog& log) {
  std::vector<Position> positions;
  for (auto row = told.rbegin(); row != told.rend(); ++row) positions.push_back(row->position);
  auto row = told.rbegin();
  return visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    while (row->position != event.position()) ++row;
    row->text = event_text(event).substr(0, kMaxTextBytes);
    return true;
  });
}

/// An open breaker as a switch, so that one list has everything that keeps jobs from starting.
view::QueueSwitchT as_switch(const view::BreakerT& breaker, TimeUs now) {
  view::QueueSwitchT row;
  row.scope = breaker.project;
  row.paused = true;
  row.note = std::to_string(breaker.failures) + " quick failures in a row; goes on at " +
             local_moment(breaker.until_us, now) + "; now: luzia resume --project " + breaker.project;
  return row;
}

/// The same for a used-up daily budget.
view::QueueSwitchT as_switch(const view::ProjectSpendingT& spending, TimeUs now) {
  view::QueueSwitchT row;
  row.scope = spending.project;
  row.paused = true;
  row.note = "its budget of " + spending.kind + " for this day is used up; goes on at " +
             local_moment(spending.until_us, now) + "; now: luzia resume " +
             (spending.project.empty() ? "--all" : "--project " + spending.project) + " --budget";
  return row;
}

bool holds_back(const view::ProjectSpendingT& spending, TimeUs now) {
  return spending.until_us != 0 && spending.until_us > now;
}

}  // namespace

Result<std::string> cursor_key(const std::string& cursor) {
  if (cursor.size() % 2 != 0 || cursor.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return bad_cursor(cursor);
  }
  std::string key;
  for (std::size_t i = 0; i < cursor.size(); i += 2) {
    key.push_back(static_cast<char>(std::stoi(cursor.substr(i, 2), nullptr, 16)));
  }
  return key;
}

Result<std::uint64_t> cursor_number(const std::string& cursor) {
  const auto number = cursor.empty() ? std::optional<std::uint64_t>(0) : parse_whole_number(cursor);
  if (!number) return bad_cursor(cursor);
  return *number;
}

Result<RowPage> queue_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto after = LUZIA_TRY(read_queue_cursor(run.query.cursor));
  RowPage page{wire::RowType::queue_entry, {}, {}, run.at};
  const std::size_t limit = page_limit(run.query);
  std::optional<RowsQueue> scheduler;
  if (!run.sources.scheduler_tells) scheduler.emplace(run.rows);
  std::string last;
  std::size_t found = 0;
  const auto wants = [&filter](std::string_view job) { return filter.takes_job_id(job); };
  const auto offer = [&](view::QueueEntryT& entry) {
    const QueueCursor place{9 - std::min<unsigned>(9, entry.priority), entry.queued_position};
    if (place <= after || !takes_entry(filter, run.rows, entry)) return true;
    if (page.rows.size() == limit) {
      page.next = last;
      return false;
    }
    last = queue_cursor(entry);
    if (scheduler) scheduler->tell_reason(entry, run.sources.now);
    page.rows.push_back(row_bytes(entry));
    return filter.jobs().empty() || ++found < filter.jobs().size();
  };
  if (run.query.without_positions && !filter.jobs().empty()) {
    for (view::QueueEntryT& entry : queue_entries(run.rows, filter.jobs())) {
      if (!offer(entry)) break;
    }
    return page;
  }
  visit_queue(run.rows, offer, wants);
  return page;
}

Result<RowPage> activity_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto before = LUZIA_TRY(cursor_number(run.query.cursor));
  RowPage page{wire::RowType::activity, {}, {}, run.at};
  const std::size_t limit = page_limit(run.query);
  SubjectFilter subjects(run.rows, filter);
  std::uint64_t last = 0;
  std::vector<view::ActivityT> told;
  visit_activity(run.rows, before == 0 ? ~std::uint64_t{0} : before,
                 [&](std::uint64_t sequence, const view::Activity& row) {
                   if (!filter.takes_time(row.time_us())) return true;
                   if (!subjects.takes(text(row.job()), text(row.project()))) return true;
                   if (told.size() == limit) {
                     page.next = std::to_string(last);
                     return false;
                   }
                   last = sequence;
                   row.UnPackTo(&told.emplace_back());
                   return true;
                 });
  LUZIA_TRY(join_texts(told, run.sources.log));
  for (const view::ActivityT& row : told) page.rows.push_back(row_bytes(row));
  return page;
}

Result<RowPage> totals_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  return named_rows_page<view::ProjectTotals>(
      run, kTotalsView, wire::RowType::totals,
      [&](const view::ProjectTotals& row) { return filter.takes_project(text(row.project())); });
}

Result<RowPage> durations_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  return named_rows_page<view::Durations>(
      run, kDurationsView, wire::RowType::durations, [&](const view::Durations& row) {
        return filter.takes_project(text(row.project())) && filter.takes_agent(text(row.agent()));
      });
}

Result<RowPage> switches_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  auto page = named_rows_page<view::QueueSwitch>(run, kQueueView, wire::RowType::queue_switch,
                                                 [&](const view::QueueSwitch& row) {
                                                   const std::string_view scope = text(row.scope());
                                                   return scope.empty() || filter.takes_project(scope);
                                                 });
  if (!page || !page->next.empty()) return page;
  for (const view::BreakerT& breaker : open_breakers(run.rows)) {
    if (filter.takes_project(breaker.project))
      page->rows.push_back(row_bytes(as_switch(breaker, run.sources.now)));
  }
  for (const view::ProjectSpendingT& row : spending_rows(run.rows)) {
    if (!holds_back(row, run.sources.now)) continue;
    if (row.project.empty() || filter.takes_project(row.project))
      page->rows.push_back(row_bytes(as_switch(row, run.sources.now)));
  }
  return page;
}

Result<RowPage> hooks_page(const QueryRun& run) {
  // Hooks belong to the daemon. Like rows without a project, they are shown only to callers who may see
  // everything.
  const bool sees_all = !run.sources.may_see;
  return named_rows_page<view::HookCursor>(run, kHooksView, wire::RowType::hook,
                                           [sees_all](const view::HookCursor&) { return sees_all; });
}

Result<RowPage> alerts_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  return named_rows_page<view::Alert>(run, kAlertsView, wire::RowType::alert, [&](const view::Alert& row) {
    // One that lasted into the time, or still lasts, belongs to it.
    const bool ended_before = row.ended_us() != 0 && row.ended_us() < filter.since();
    const bool began_after = filter.until() != 0 && row.since_us() >= filter.until();
    if (run.sources.may_see || ended_before || began_after) return false;
    return filter.ended() || row.ended_us() == 0;
  });
}

Result<RowPage> devices_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  auto page = LUZIA_TRY(
      named_rows_page<view::Device>(run, kDevicesView, wire::RowType::device, [&](const view::Device& row) {
        if (run.sources.may_see || !filter.takes_time(row.paired_us())) return false;
        return filter.ended() || row.revoked_us() == 0;
      }));
  for (std::string& bytes : page.rows) {
    Device device = StoredRow<view::Device>(bytes).native();
    hide_secrets(device);
    bytes = row_bytes(device);
  }
  return page;
}

Result<RowPage> schedules_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  auto page = LUZIA_TRY(named_rows_page<view::Schedule>(
      run, kSchedulesView, wire::RowType::schedule, [&](const view::Schedule& row) {
        if (!filter.takes_project(text(row.project())) || !filter.takes_schedule(text(row.schedule())))
          return false;
        return filter.ended() || row.dropped_us() == 0;
      }));
  for (std::string& bytes : page.rows) {
    Schedule schedule = StoredRow<view::Schedule>(bytes).native();
    join_results(schedule, run.rows);
    join_last_job(schedule, run.rows, run.sources.may_see);
    bytes = row_bytes(schedule);
  }
  return page;
}

}  // namespace luzia
