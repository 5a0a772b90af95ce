// Alerts, and jobs with warnings, for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// alert, alert_type, severity, message, recommendation, value, threshold, since(_us), ended(_us), position.
std::string alert_json(const view::Alert& alert);

/// Has a column for the end only if one of the alerts has ended.
Table alerts_table(const std::vector<const view::Alert*>& alerts);

/// For `status --alerts`: the number of warnings and errors of each job, and the last of them.
Table warnings_table(const std::vector<const view::Job*>& jobs);

}  // namespace luzia
