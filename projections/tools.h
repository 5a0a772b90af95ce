// Report view tools: how often agents call which tool, how often that fails or is denied, and how long it
// takes. Key: day (UTC, big-endian), project, 0, agent, 0, model, 0, tool. The result of a call counts on the
// day of the call.
//
// Further rows begin with 0xff: calls that have not returned yet. Key: job, 0, call id; the empty call id has
// their number. They are erased when the attempt ends. At most kMaxOpenCalls are kept for an attempt; further
// calls are counted but not timed.
//
// The duration of a call is what the agent reports. Otherwise it is the time between call and return by the
// agent's clock, or else between the two events, whose times are when the output was read.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kToolsView{20, 2, "tools", ViewKind::report, 1};
constexpr std::uint64_t kMaxOpenCalls = 1000;

/// The first key after the days, in this view and in costs.
constexpr std::string_view kBehindDays = "\xff";
std::string day_key(std::uint32_t day, std::initializer_list<std::string_view> names);

std::unique_ptr<JobReport> make_tools_report(const ViewReaderSource& rows);

}  // namespace luzia
