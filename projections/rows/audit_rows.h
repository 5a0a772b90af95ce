// Who decided what: questions and approvals that came to a decision, as one list. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/row_tables.h"

namespace luzia {

/// One decision: of `question` or of `approval`, the other is null. Points to rows of the caller.
struct AuditEntry {
  const view::Question* question = nullptr;
  const view::Approval* approval = nullptr;
};

/// When it was decided; of a question that nobody answered, its deadline. 0: no decision (open, withdrawn).
TimeUs decision_time(const view::Question& question);
TimeUs decision_time(const view::Approval& approval);
TimeUs decision_time(const AuditEntry& entry);

/// kind (question, approval) id job project agent what tool description decision (answered, timed_out,
/// approved, denied, expired) answer by policy note remember decided_at asked_at delivered_at
/// waited_seconds, and flow step of a flow's gate; `by` is the person, `policy` what decided without one.
std::string audit_json(const AuditEntry& entry);
Table audit_table(const std::vector<AuditEntry>& entries, Form form = Form::people);

}  // namespace luzia
