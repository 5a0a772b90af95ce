// Core view live_jobs: every job as its decider sees it (the fold of its lifecycle by luzia::evolve), and the
// queued ones in the order of start. Rows of ended jobs move to keys of their own, so that the live ones are
// one short scan; they stay because a retry or a late exit record continues from them.
//
// Keys:
// "l" job -> LiveJob that is not terminal; "e" job -> LiveJob that is terminal
// "a" job -> nothing: it is neither queued nor terminal, so what is at work is found beside a long queue
// "t" big-endian (number of the end modulo kLastEnds) -> LastEnd: the jobs that ended last, each in the place
//     of what ended kLastEnds ends before; "u" -> LastEnd: the sums
// "r" big-endian position of a JobRemoved -> LastEnd with that position as `sequence`: all removals
// "q" 9-priority (1 byte), big-endian position of JobQueued, job -> QueueEntry
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/job/job.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr std::uint64_t kLastEnds = 1000;
constexpr ProjectionInfo kLiveJobsView{3, 12, "live_jobs", ViewKind::core, 10};

std::unique_ptr<Projection> make_live_jobs_projection(ViewReaderSource rows);

/// Jobs that are not terminal, in order of ids. Any thread.
void visit_live_jobs(const ViewReader& rows, const std::function<void(JobState)>& visit);

/// The decider's state of a job, live or ended; nullopt when there is no such job. Any thread.
std::optional<JobState> find_job_state(const ViewReader& rows, std::string_view job);

/// Ids from the newest down; `visit` returns false to stop. Any thread.
using VisitId = std::function<bool(std::string_view job)>;
/// Of jobs that are not terminal, those before `end` in order of ids; empty: all.
void visit_live_ids_back(const ViewReader& rows, std::string_view end, const VisitId& visit);
/// Of jobs that are neither queued nor terminal.
void visit_active_ids_back(const ViewReader& rows, const VisitId& visit);

/// Jobs that ended, the last end first, of at most kLastEnds ends: a job that was tried again may be visited
/// twice, and may live. False: there are ended jobs besides, whose ends are not kept (older ones, imported
/// ones).
bool visit_last_ends(const ViewReader& rows, const VisitId& visit);

/// Removals after this position of the log, in its order: the positions of JobRemoved. Any thread.
void visit_removals(const ViewReader& rows, std::uint64_t after,
                    const std::function<void(std::uint64_t position, std::string_view job)>& visit);

/// Queued jobs in the order of start, `position` filled from 1. `visit` returns false to stop.
void visit_queue(const ViewReader& rows, const std::function<bool(view::QueueEntryT&)>& visit);

}  // namespace luzia
