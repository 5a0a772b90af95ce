// What job_reports.cc and job_tracking.cc share: checking a report, and ending a tracked job by one. Private
// to engine/job.
#pragma once

#include "engine/job/decide_parts.h"

namespace luzia {

/// Errors (usage): `bad_field`, `bad_report`.
Status check_report(const schema::ReportFactUnion& report);

/// Nobody here sees how a tracked task ends, so it ends when its publisher says so.
void add_published_end(const JobState& state, const PublishReport& command, Events& events);

}  // namespace luzia
