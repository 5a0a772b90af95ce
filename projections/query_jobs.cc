// Pages of jobs: by filter, newest first; and by attention.
#include <algorithm>
#include <set>

#include "engine/base/ids.h"
#include "engine/base/whole_number.h"
#include "engine/base/words.h"
#include "projections/ends.h"
#include "projections/jobs.h"
#include "projections/live_jobs.h"
#include "projections/outcomes.h"
#include "projections/query_pages.h"
#include "projections/rows/attention.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

constexpr std::uint32_t kEndedInStatus = 10;
constexpr std::size_t kMostLookedAt = 1'000;  // most rows examined for ends that are not kept

/// Most tasks, and most bytes of them, that a page reads to find words.
constexpr std::size_t kMostTasksRead = 10'000, kMostTaskBytesRead = 64 << 20;

/// What a page continues from: an id, or an end.
using CursorOf = std::string (*)(const view::Job& job);

std::string cursor_by_id(const view::Job& job) {
  return std::string(text(job.id()));
}

constexpr char kBehindTime = '-';

std::string cursor_by_end(const view::Job& job) {
  return std::to_string(job.ended_us()) + kBehindTime + std::string(text(job.id()));
}

/// The key of the end that a cursor names; empty: it names none.
std::string end_of_cursor(std::string_view cursor) {
  const std::size_t at = cursor.rfind(kBehindTime);
  const auto time = parse_number<TimeUs>(cursor.substr(0, at));
  if (at == std::string_view::npos || !time || !is_job_id(cursor.substr(at + 1))) return {};
  return key_of_end(*time, cursor.substr(at + 1));
}

/// Collects rows, in the order in which they are offered, until the page is full. `words`: in lower case;
/// only jobs whose tasks have all of them.
class JobsPage {
 public:
  JobsPage(const QueryRun& run, const QueryFilter& filter, std::size_t limit,
           std::vector<std::string> words = {}, CursorOf cursor_of = cursor_by_id)
      : run_(run), filter_(filter), limit_(limit), words_(std::move(words)), cursor_of_(cursor_of) {
    page_.type = wire::RowType::job;
    page_.position = run.at;
  }

  /// False: the page is full and there is more.
  bool offer(std::string_view value) {
    const StoredRow<view::Job> row(value);
    if (!filter_.takes_job(*row)) return true;
    if (tasks_ == kMostTasksRead || task_bytes_ > kMostTaskBytesRead) return end_page();
    if (!words_.empty() && !task_has_words(row)) {
      last_ = cursor_of_(*row);
      return true;
    }
    if (page_.rows.size() == limit_ || bytes_ > run_.page_bytes) return end_page();
    view::JobT native = row.native();
    const bool one = filter_.jobs().size() == 1;
    join_task(native, run_.sources.log, run_.query.whole_tasks ? kMaxBlobBytes : kTaskBytesInLists,
              one ? kMaxBlobBytes : kTaskBytesInLists);
    if (one) {
      join_told(native, run_.sources.log, kMaxBlobBytes);
    } else {
      native.told.clear();
    }
    if (run_.sources.join_live) run_.sources.join_live(native);
    last_ = cursor_of_(*row);
    page_.rows.push_back(row_bytes(native));
    bytes_ += page_.rows.back().size();
    return true;
  }
  bool offer_id(std::string_view id) {
    const auto value = run_.rows.get(row_key(kJobsView, id));
    return !value || offer(*value);
  }
  RowPage take() { return std::move(page_); }

 private:
  bool end_page() {
    page_.next = last_;
    return false;
  }
  bool task_has_words(const StoredRow<view::Job>& row) {
    if (row->prompt() == nullptr) return false;
    const auto blob = run_.sources.log.blob(row->queued_position(), row->prompt()->index());
    ++tasks_;
    task_bytes_ += blob ? blob->size() : 0;
    return blob && has_words(*blob, words_);
  }

  const QueryRun& run_;
  const QueryFilter& filter_;
  std::size_t limit_;
  std::vector<std::string> words_;
  CursorOf cursor_of_;
  std::size_t tasks_ = 0, task_bytes_ = 0;
  std::string last_;
  std::size_t bytes_ = 0;
  RowPage page_;
};

/// Offers these jobs (ids ascending) from the newest one below the cursor.
void offer_newest_first(JobsPage& page, const std::vector<std::string>& ids, const std::string& cursor) {
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    if (!cursor.empty() && *id >= cursor) continue;
    if (!page.offer_id(*id)) return;
  }
}

using SeenJobs = std::set<std::string, std::less<>>;

/// Visits the jobs of the last ends that have not been retried since, each once. As visit_last_ends().
bool visit_ended(const ViewReader& rows, SeenJobs& seen,
                 const std::function<bool(const StoredRow<view::Job>&)>& visit) {
  return visit_last_ends(rows, [&](std::string_view id) {
    if (!seen.emplace(id).second) return true;
    const auto row = read_row<view::Job>(rows, kJobsView, id);
    return !row || !is_terminal((*row)->state()) || visit(*row);
  });
}

/// Offers the jobs that ended last, then other ended ones, newest first: imported ones, and those whose end
/// is no longer kept.
void offer_ended(JobsPage& page, const ViewReader& rows) {
  SeenJobs seen;
  bool full = false;
  const bool all = visit_ended(rows, seen, [&](const StoredRow<view::Job>& row) {
    full = !page.offer(row.bytes());
    return !full;
  });
  if (all || full) return;
  std::size_t looked_at = 0;
  rows.scan_back(row_key(kJobsView, ""), row_end(kJobsView), [&](std::string_view, std::string_view value) {
    const StoredRow<view::Job> row(value);
    const bool fresh = is_terminal(row->state()) && !seen.contains(text(row->id()));
    return ++looked_at <= kMostLookedAt && (!fresh || page.offer(value));
  });
}

/// How much of the id tells it from the next one below or above that a beginning could mean as well
/// (resolve_job). Of very many removed or foreign jobs in between the last one looked at counts: a longer
/// beginning names the job too.
std::size_t needed_of(const QueryRun& run, std::string_view id) {
  std::size_t needed = 1, passed_over = 0;
  const auto visit = [&](std::string_view key, std::string_view value) {
    const std::string_view other = key.substr(2);
    if (other == id) return true;
    const StoredRow<view::Job> job(value);
    const bool seen = !run.sources.may_see || run.sources.may_see(text(job->project()));
    if ((!seen || job->removed_us() != 0) && ++passed_over < kMostLookedAt) return true;
    const auto common = std::ranges::mismatch(id, other).in1 - id.begin();
    needed = std::max(needed, static_cast<std::size_t>(common) + 1);
    return false;
  };
  run.rows.scan_back(row_key(kJobsView, ""), row_key(kJobsView, id), visit);
  passed_over = 0;
  run.rows.scan(row_key(kJobsView, id), row_end(kJobsView), visit);
  return std::min(needed, id.size());
}

RowPage beginnings_page(const QueryRun& run, const QueryFilter& filter) {
  RowPage page{wire::RowType::job, {}, {}, run.at};
  for (const std::string& id : filter.jobs()) {
    view::JobT row;
    row.id = id.substr(0, needed_of(run, id));
    page.rows.push_back(row_bytes(row));
  }
  return page;
}

tl::unexpected<Error> bad_jobs_cursor(const std::string& cursor) {
  return fail(ErrorKind::usage, "bad_cursor", "'" + cursor + "' is not a cursor of this list of jobs",
              "give the value of \"next\" of the page before, with the same filters");
}

/// Jobs by the time of their end, last end first.
Result<RowPage> ended_jobs_page(const QueryRun& run, const QueryFilter& filter) {
  const std::string& cursor = run.query.cursor;
  std::string end = row_end(kEndsView);
  if (filter.ended_before() != 0) end = row_key(kEndsView, key_of_end(filter.ended_before()));
  if (!cursor.empty()) {
    const std::string before = end_of_cursor(cursor);
    if (before.empty()) return bad_jobs_cursor(cursor);
    end = std::min(end, row_key(kEndsView, before));
  }
  const std::string begin =
      row_key(kEndsView, filter.ended_since() != 0 ? key_of_end(filter.ended_since()) : std::string());
  JobsPage page(run, filter, page_limit(run.query), lower_words(run.query.text), cursor_by_end);
  const auto offer = [&](std::string_view key, std::string_view) {
    return page.offer_id(job_of_end(key.substr(2)));
  };
  if (begin < end) run.rows.scan_back(begin, end, offer);
  return page.take();
}

/// Cuts between characters.
void cut_text(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

}  // namespace

std::size_t page_limit(const wire::QueryT& query, std::uint32_t otherwise) {
  return std::min(query.limit == 0 ? otherwise : query.limit, kMaxLimit);
}

std::string shown_text(const EventLog& log, Position event, const schema::BlobRefT& text) {
  auto blob = log.blob(event, text.index);
  if (blob) return std::move(*blob);
  return blob.error().code == "blob_erased" ? "(erased)" : unreadable_words(text.size);
}

void join_task(view::JobT& row, const EventLog& log, std::size_t task_bytes, std::size_t message_bytes) {
  if (row.message_text) {
    row.message = shown_text(log, row.message_position, *row.message_text);
    cut_text(row.message, message_bytes);
  }
  if (!row.prompt) return;
  auto blob = log.blob(row.queued_position, row.prompt->index);
  if (!blob) {
    const bool erased = blob.error().code == "blob_erased";
    (erased ? row.task : row.task_error) = erased ? "(erased)" : kTaskUnreadable;
    return;
  }
  row.task = std::move(*blob);
  cut_text(row.task, task_bytes);
}

void join_told(view::JobT& row, const EventLog& log, std::size_t bytes) {
  for (const auto& told : row.told) {
    if (!told->text_ref) continue;
    told->text = shown_text(log, told->position, *told->text_ref);
    cut_text(told->text, bytes);
  }
}

Result<RowPage> jobs_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  if (run.query.beginnings) return beginnings_page(run, filter);
  if (filter.has_time_of_end() && filter.jobs().empty()) return ended_jobs_page(run, filter);
  const std::string& cursor = run.query.cursor;
  if (!cursor.empty() && !is_job_id(cursor)) return bad_jobs_cursor(cursor);
  JobsPage page(run, filter, page_limit(run.query), lower_words(run.query.text));
  if (!filter.jobs().empty()) {
    offer_newest_first(page, filter.jobs(), cursor);
  } else if (!filter.ended()) {
    visit_live_ids_back(run.rows, cursor, [&](std::string_view id) { return page.offer_id(id); });
  } else {
    const std::string begin = row_key(kJobsView, filter.after().empty() ? "" : *filter.after().begin());
    const std::string end = cursor.empty() ? row_end(kJobsView) : row_key(kJobsView, cursor);
    run.rows.scan_back(begin, end,
                       [&](std::string_view, std::string_view value) { return page.offer(value); });
  }
  return page.take();
}

Result<RowPage> status_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  JobsPage active(run, filter, kMaxLimit);
  visit_active_ids_back(run.rows, [&](std::string_view id) { return active.offer_id(id); });
  RowPage page = active.take();
  JobsPage first_queued(run, filter, run.query.long_queue ? kQueuedInLongStatus : kQueuedInStatus);
  const auto offer = [&](const view::QueueEntryT& entry) {
    return !filter.takes_project(entry.project) || first_queued.offer_id(entry.job);
  };
  if (filter.takes_state(schema::JobState::queued)) visit_queue(run.rows, offer);
  for (std::string& row : first_queued.take().rows) page.rows.push_back(std::move(row));
  page.next.clear();
  if (!filter.ended()) return page;

  JobsPage ended(run, filter, page_limit(run.query, kEndedInStatus));
  offer_ended(ended, run.rows);
  for (std::string& row : ended.take().rows) page.rows.push_back(std::move(row));
  return page;
}

Status add_recent_ends(const QueryRun& run, RowPage& page) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  SeenJobs named, seen;
  for (const std::string& row : page.rows)
    named.emplace(text(flatbuffers::GetRoot<view::Job>(row.data())->id()));
  JobsPage failed(run, filter, kFailedInStatus);
  view::OutcomeDayT recent;
  bool knows_all = false;
  visit_ended(run.rows, seen, [&](const StoredRow<view::Job>& row) {
    knows_all = row->ended_us() < run.sources.now - kRecentEndsUs;
    if (knows_all || !filter.takes_job(*row)) return !knows_all;
    count_end(recent, row->state(), row->reason());
    if (ended_badly(*row) && !named.contains(text(row->id()))) failed.offer(row.bytes());
    return true;
  });
  for (std::string& row : failed.take().rows) page.rows.push_back(std::move(row));
  const bool is_cut = !knows_all && seen.size() == kLastEnds;
  page.parts.push_back(
      {wire::RowType::outcome_day, {row_bytes(recent)}, is_cut ? "earlier" : "", run.at, {}});
  return {};
}

}  // namespace luzia
