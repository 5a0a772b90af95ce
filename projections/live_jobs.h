// Core view live_jobs: every job as its decider sees it (the fold of its lifecycle by luzia::evolve), and the
// queued ones in the order of start. Rows of ended jobs move to keys of their own, so that the live ones are
// one short scan; they stay because a retry or a late exit record continues from them.
//
// Keys: "l" job -> LiveJob that is not terminal; "e" job -> LiveJob that is terminal;
//       "q" 9-priority (1 byte), big-endian position of JobQueued, job -> QueueEntry.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/job/job.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kLiveJobsView{3, 6, "live_jobs", ViewKind::core};

std::unique_ptr<Projection> make_live_jobs_projection(ViewReaderSource rows);

/// Jobs that are not terminal, in order of ids. Any thread.
void visit_live_jobs(const ViewReader& rows, const std::function<void(JobState)>& visit);

/// The decider's state of a job, live or ended; nullopt when there is no such job. Any thread.
std::optional<JobState> find_job_state(const ViewReader& rows, std::string_view job);

/// Ids of live jobs that begin with `prefix`, at most `limit`.
std::vector<std::string> live_job_ids(const ViewReader& rows, std::string_view prefix = {},
                                      std::size_t limit = ~std::size_t{0});

/// Ids of queued jobs in the order of start.
std::vector<std::string> queued_job_ids(const ViewReader& rows);

/// Queued jobs in the order of start, `position` filled from 1. `visit` returns false to stop.
void visit_queue(const ViewReader& rows, const std::function<bool(const view::QueueEntryT&)>& visit);

}  // namespace luzia
