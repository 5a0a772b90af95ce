// Alerts, and jobs with warnings, as people and scripts see them. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// alert, alert_type, severity, message, recommendation, value, threshold, since(_us), ended(_us), position.
std::string alert_json(const view::Alert& alert);

/// With a column for the end only where one has ended.
Table alerts_table(const std::vector<const view::Alert*>& alerts, Form form = Form::people);

/// What `status --alerts` lists: how many warnings and errors each job has, and the last of them.
Table warnings_table(const std::vector<const view::Job*>& jobs);

}  // namespace luzia
