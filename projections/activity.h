// Report view activity, key: big-endian sequence number modulo 1,000. The last 1,000 things worth telling a
// person, each in the place of what happened 1,000 things before: rejected were growing keys, which cost an
// erasure beside every row. Rows name the event; its text is joined when a row is read.
#pragma once

#include <functional>
#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kActivityView{17, 6, "activity", ViewKind::statistic};
constexpr std::uint64_t kActivityRows = 1000;

std::unique_ptr<JobReport> make_activity_report(const ViewReaderSource& rows);

/// Newest first; `visit` gets the sequence number and the row, and returns false to stop. Any thread.
void visit_activity(const ViewReader& rows, std::uint64_t before_sequence,
                    const std::function<bool(std::uint64_t sequence, const view::Activity& row)>& visit);

}  // namespace luzia
