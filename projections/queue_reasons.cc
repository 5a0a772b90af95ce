#include "projections/queue_reasons.h"

#include <limits>

#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/waiting_text.h"
#include "projections/spending.h"

namespace luzia {
namespace {

Capacity without_limits() {
  Capacity capacity;
  capacity.max_running = std::numeric_limits<std::uint32_t>::max();
  return capacity;
}

}  // namespace

view::WaitingT waiting_row(const std::string& job, const Waiting& waiting) {
  view::WaitingT row;
  row.job = job;
  row.what = waiting.what;
  row.subjects = waiting.subjects;
  row.subjects.insert(row.subjects.end(), waiting.asking.begin(), waiting.asking.end());
  row.limit = waiting.limit;
  row.until_us = waiting.until;
  row.ahead = static_cast<std::uint32_t>(waiting.ahead);
  row.position = row.ahead + 1;
  row.first_ahead = waiting.first_ahead;
  return row;
}

void tell_reason(view::QueueEntryT& entry, std::optional<view::WaitingT> waiting, TimeUs now) {
  if (!waiting) return;
  entry.place = waiting->position;
  entry.first_ahead = std::move(waiting->first_ahead);
  entry.estimated_wait_ms = waiting->estimated_wait_ms;
  // Jobs that wait for the same have the same text, so that lists can say it once.
  waiting->ahead = 0;
  waiting->first_ahead.clear();
  waiting->estimated_wait_ms.reset();
  const std::string bytes = row_bytes(*waiting);
  const auto& row = *flatbuffers::GetRoot<view::Waiting>(bytes.data());
  entry.blocked_by = blocked_by(row);
  entry.blocked_why = waiting_text(row, now);
}

RowsQueue::RowsQueue(const ViewReader& rows) : queue_(without_limits()) {
  visit_live_jobs(rows, [&](JobState&& job) {
    queue_.note(job);
    if (job.state == schema::JobState::queued) queued_.emplace(job.job, std::move(job));
  });
  for (const auto& pause : queue_switches(rows)) {
    queue_.stops().set_paused(pause.scope, pause.paused);
    if (pause.draining) queue_.stops().draining = true;
  }
  for (const auto& breaker : open_breakers(rows)) queue_.stops().breakers.opened(breaker_fact(breaker));
  for (const auto& limit : agent_limits(rows)) queue_.stops().agent_limits.parked(agent_parked_fact(limit));
  for (auto& row : spending_rows(rows)) queue_.stops().spending.load(std::move(row));
}

void RowsQueue::tell_reason(view::QueueEntryT& entry, TimeUs now) const {
  const auto job = queued_.find(entry.job);
  if (job == queued_.end()) return;
  const auto waiting = queue_.why(job->second, now);
  luzia::tell_reason(entry, waiting ? std::optional(waiting_row(entry.job, *waiting)) : std::nullopt, now);
  if (!waiting || waiting->what != WaitsFor::turn) return;
  entry.blocked_by = view::EnumNameWaitsFor(WaitsFor::turn);
  entry.blocked_why = "waits for its turn; limits and the machine's load are not in the log";
}

}  // namespace luzia
