// Core view live_jobs: every job as its decider sees it (the fold of its lifecycle by luzia::evolve), and the
// queued jobs in the order of start. Rows of ended jobs move to other keys, so that live jobs are one short
// scan. They stay, because a retry or a late exit record continues from them.
//
// Keys:
// "l" job -> LiveJob that is not terminal; "e" job -> LiveJob that is terminal
// "a" job -> empty: neither queued nor terminal, so that working jobs are found quickly beside a long queue
// "t" big-endian (number of the end modulo kLastEnds) -> LastEnd: the jobs that ended last; each row replaces
//     the one from kLastEnds ends before. "u" -> LastEnd: the sums
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
constexpr ProjectionInfo kLiveJobsView{3, 16, "live_jobs", ViewKind::core, 10};

std::unique_ptr<Projection> make_live_jobs_projection(ViewReaderSource rows);

/// Jobs that are not terminal, in order of ids. Any thread.
void visit_live_jobs(const ViewReader& rows, const std::function<void(JobState&&)>& visit);

/// The decider's state of a job, live or ended; nullopt: there is no such job. Any thread.
std::optional<JobState> find_job_state(const ViewReader& rows, std::string_view job);
/// The same as its row, faster: `ended` says where to look.
std::optional<StoredRow<view::LiveJob>> find_state_row(const ViewReader& rows, std::string_view job,
                                                       bool ended);

/// Visits ids, newest first; `visit` returns false to stop. Any thread.
using VisitId = std::function<bool(std::string_view job)>;
/// Jobs that are not terminal, with ids before `end`; empty: all.
void visit_live_ids_back(const ViewReader& rows, std::string_view end, const VisitId& visit);
/// Jobs that are neither queued nor terminal.
void visit_active_ids_back(const ViewReader& rows, const VisitId& visit);

/// Visits the jobs of the last kLastEnds ends, last end first. A retried job may be visited twice, and may be
/// live again. False: there are more ended jobs whose ends are not kept (older or imported ones).
bool visit_last_ends(const ViewReader& rows, const VisitId& visit);

/// Visits removals after this position of the log, in order; `position` is that of JobRemoved. Any thread.
void visit_removals(const ViewReader& rows, std::uint64_t after,
                    const std::function<void(std::uint64_t position, std::string_view job)>& visit);

/// Visits queued jobs in the order of start, with `position` set from 1. `visit` returns false to stop. With
/// `wants`, only jobs for which it is true are visited; the others cost little.
void visit_queue(const ViewReader& rows, const std::function<bool(view::QueueEntryT&)>& visit,
                 const std::function<bool(std::string_view job)>& wants = {});
/// Of these jobs the queued ones, in the order of start, without `position`: one read for each, however long
/// the queue is.
std::vector<view::QueueEntryT> queue_entries(const ViewReader& rows, const std::vector<std::string>& jobs);

}  // namespace luzia
