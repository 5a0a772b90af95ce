// Who decided what: one list of the questions and approvals that have a decision. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// One decision, of `question` or of `approval`; the other is null. Points to the caller's rows.
struct AuditEntry {
  const view::Question* question = nullptr;
  const view::Approval* approval = nullptr;
};

/// When it was decided; for a question that nobody answered, its deadline. 0: no decision (open or
/// withdrawn).
TimeUs decision_time(const view::Question& question);
TimeUs decision_time(const view::Approval& approval);
TimeUs decision_time(const AuditEntry& entry);

/// Fields: kind (question, approval) id job project agent what tool description decision (answered,
/// timed_out, approved, denied, expired) answer by policy note remember decided_at asked_at delivered_at
/// waited_seconds; for a flow's gate also flow and step. `by` is the person; `policy` is what decided without
/// a person.
std::string audit_json(const AuditEntry& entry);
Table audit_table(const std::vector<AuditEntry>& entries, Form form = Form::people);

}  // namespace luzia
