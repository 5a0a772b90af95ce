// Report view activity: the last 1,000 events worth showing to a person. Key: big-endian sequence number
// modulo 1,000, so each row replaces the one from 1,000 rows before. Rows name the event; its text is joined
// when a row is read.
//
// Rejected: growing keys, because each new row would cost an erasure.
#pragma once

#include <functional>
#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kActivityView{17, 6, "activity", ViewKind::statistic};
constexpr std::uint64_t kActivityRows = 1000;

std::unique_ptr<JobReport> make_activity_report(const ViewReaderSource& rows);

/// Newest first. `visit` gets the sequence number and the row, and returns false to stop. Any thread.
void visit_activity(const ViewReader& rows, std::uint64_t before_sequence,
                    const std::function<bool(std::uint64_t sequence, const view::Activity& row)>& visit);

}  // namespace luzia
