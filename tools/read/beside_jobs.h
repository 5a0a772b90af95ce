// What is shown beside jobs: why they wait, what they ask, what is paused, which alerts are open.
#pragma once

#include "projections/rows/attention.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/row_tables.h"
#include "tools/read/pages.h"
#include "tools/read/session.h"

namespace luzia {

/// Why those of these jobs that are queued wait, in rows of view queue; none where nobody can tell.
RowPage ask_queue(Session& session, Source& source, const std::vector<const view::Job*>& jobs);
QueueEntries queue_of(const RowPage& page);

/// How to answer what a job asks, a paragraph each; empty when nothing is open.
Result<std::string> open_inputs_of(Session& session, Source& source, const std::string& job);

/// What is paused of everything and of the projects that are asked about.
Result<RowPage> ask_pauses(Session& session, Source& source);

/// What runs by rows that nobody keeps may have ended long ago: told where no daemon runs, unless a person
/// was told that already.
void tell_unwatched(Session& session, const std::vector<const view::Job*>& jobs, Position position);

/// The job that is named, its whole row; `no_such_job` (not_found).
Result<RowPage> ask_job(Session& session, Source& source, const std::string& job);

/// What a queued job waits for, as the daemon sees it now; no row of the past, of a store, or of any other
/// job.
Result<RowPage> ask_waiting(Session& session, Source& source, const std::string& job);

}  // namespace luzia
