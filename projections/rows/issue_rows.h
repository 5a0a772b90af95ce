// Known issues for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// Fields: pattern severity project job fingerprint count first_seen last_seen first_line first_offset line
/// captures fix fix_command auto_fixable fix_outcome fix_job state description attempt seen_before
/// fixed_before position.
std::string issue_json(const view::Issue& issue);
/// The columns of the table `issues` of SQL and exports (export_issues.cc): Form::data of issues_table().
Table issues_data(const std::vector<const view::Issue*>& issues);
Table issues_table(const std::vector<const view::Issue*>& issues, Form form = Form::people);
/// What happened, where, how to fix it, and how often that helped before; one paragraph each.
std::string issues_text(const std::vector<const view::Issue*>& issues, const TableStyle& style);

/// open, fixing, fixed, unfixed.
std::string_view issue_state_name(view::IssueState state);

}  // namespace luzia
