// Queries for what is shown along with jobs: why they wait, what they ask, what is paused. One thread.
#pragma once

#include "projections/rows/attention.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/row_tables.h"
#include "tools/read/pages.h"
#include "tools/read/session.h"

namespace luzia {

/// The rows of view queue for the queued ones among these jobs: why they wait. Empty if the query fails.
RowPage ask_queue(Session& session, Source& source, const std::vector<const view::Job*>& jobs);
QueueEntries queue_of(const RowPage& page);

/// The open questions and approvals of a job and how to answer them, a paragraph each; empty: none is open.
Result<std::string> open_prompts_of(Session& session, Source& source, const std::string& job);

/// The pauses: of everything, and of the projects in the session's filter.
Result<RowPage> ask_pauses(Session& session, Source& source);

/// If no daemon runs, notes that jobs shown as running may have ended: nobody updates the rows. Not with
/// --json or --at, nor if a person was told about the missing daemon already.
void report_unwatched(Session& session, const std::vector<const view::Job*>& jobs, Position position);

/// The complete row of the named job; `no_such_job` (not_found).
Result<RowPage> ask_job(Session& session, Source& source, const std::string& job);

/// What a queued job waits for, as the daemon sees it now. No row for jobs that are not queued, with --at, or
/// if the store is read without a daemon.
Result<RowPage> ask_waiting(Session& session, Source& source, const std::string& job);

}  // namespace luzia
