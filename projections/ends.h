// Statistic view ends: which jobs ended when, so that those of a day are found among a million. Key: the time
// of the end (key_of_end), job; rows are empty. As in outcomes, a job has one end: a retried one has none
// until it ends again.
//
// Rejected: finding them by their ids, which are in the order of dispatch. A job may end days later, and a
// retried one years.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kEndsView{44, 1, "ends", ViewKind::statistic};

/// The key of the view for an end at that time; without a job: before all ends at that time.
std::string key_of_end(TimeUs ended_us, std::string_view job = {});
/// The job of a key of the view.
std::string_view job_of_end(std::string_view key);

std::unique_ptr<JobReport> make_ends_report(const ViewReaderSource& rows);

}  // namespace luzia
