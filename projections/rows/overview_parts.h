// The parts of an overview (projections/query.h): which query returns each of them by itself. Any thread.
#pragma once

#include "protocol.fb.h"

namespace luzia {

/// The query that returns one part of an overview by itself, for instance its pages after the first. For the
/// queue the caller adds the queued jobs to the filter.
wire::QueryT query_of_part(const wire::QueryT& overview, wire::View part);

/// Whether a filter narrows jobs by more than their project. Flows and their gates belong to no job.
bool narrows_jobs(const wire::FilterT& filter);
/// Whether totals, which are counted per project, tell how many jobs match the filter.
bool is_countable(const wire::FilterT& filter);

}  // namespace luzia
