// Report view tools, key: day (UTC, big-endian), project, 0, agent, 0, model, 0, tool. How often agents call
// which tool, how often that fails or is denied, and how long it takes. What comes of a call counts on the
// day of the call.
//
// Beside them, behind 0xff: calls that have not returned yet, key: job, 0, call id; under the empty call id
// how many these are. They go when the attempt ends; of one attempt kMaxOpenCalls are kept, calls beyond are
// counted and not timed.
//
// How long a call took is what the agent says, else the time between its two moments by the agent's clock,
// else between the events, which stand in the log when the output was read.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kToolsView{20, 2, "tools", ViewKind::report, 1};
constexpr std::uint64_t kMaxOpenCalls = 1000;

/// First key behind the days, of this view and of costs.
constexpr std::string_view kBehindDays = "\xff";
std::string day_key(std::uint32_t day, std::initializer_list<std::string_view> names);

std::unique_ptr<JobReport> make_tools_report(const ViewReaderSource& rows);

}  // namespace luzia
