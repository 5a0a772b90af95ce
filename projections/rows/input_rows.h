// Questions and approvals for people and scripts. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projections/rows/manual_steps.h"
#include "projections/rows/row_tables.h"

namespace luzia {

using ShownQuestions = std::vector<const view::Question*>;
using ShownApprovals = std::vector<const view::Approval*>;

/// Whether any text is an answer: beside its options, or because it has none.
bool takes_any_text(const view::Question& question);

/// Fields: id job project agent attempt type question options free_text default asked_at deadline state
/// answer answered_by answered_at delivered_at, and more.
std::string question_json(const view::Question& question);
/// The same fields as a yes-or-no question (type "approval"), and gate description tool tool_input rule
/// decision decided_by decided_at policy note remember auto_after.
std::string approval_json(const view::Approval& approval);

/// Sorts open requests: those that people mean to answer by some moment first, the least time left first;
/// then the others, longest waiting first.
using Urgency = std::pair<bool, TimeUs>;
template <class Row>
Urgency urgency_of(const Row& row) {
  return {row.answer_by_us() == 0, row.answer_by_us() == 0 ? row.asked_us() : row.answer_by_us()};
}

/// text, choice, confirm, multi_select.
std::string_view question_type_name(schema::QuestionType type);
/// open, answered, timed_out, cancelled.
std::string_view question_state_name(view::QuestionState state);
/// none, approved, denied, expired.
std::string_view decision_name(schema::Decision decision);
/// The state in one word: open, approved, denied, expired, cancelled.
std::string_view approval_state_name(const view::Approval& approval);
/// The person or policy that decided, or how it ended without a decision; empty while it is open.
std::string decided_by_text(const view::Approval& approval);

/// The columns of the tables `questions` and `approvals` of SQL and exports (export_inputs.cc): Form::data.
Table questions_data(const ShownQuestions& questions);
Table approvals_data(const ShownApprovals& approvals);
Table questions_table(const ShownQuestions& questions, TimeUs now, Form form = Form::people);
Table approvals_table(const ShownApprovals& approvals, TimeUs now, Form form = Form::people);

/// Open requests for those who answer: the text, the numbered options, the time left and the command that
/// answers; one paragraph each, by urgency_of(). Omits requests that are over.
std::string questions_text(const ShownQuestions& questions, TimeUs now, const TableStyle& style);
std::string approvals_text(const ShownApprovals& approvals, TimeUs now, const TableStyle& style);

/// The same for a step that a person has to do.
std::string manual_step_card(const ManualStep& step, const TableStyle& style);

/// One line per open request, by urgency_of(): job, what is asked, possible answers, time left. Also
/// includes steps that people have to do.
Table open_inputs_table(const ShownQuestions& questions, const ShownApprovals& approvals,
                        const std::vector<ManualStep>& steps, TimeUs now);

/// "27m left", "denied in 5m", "no deadline", ...; empty if it is not open.
std::string time_left_text(const view::Question& question, TimeUs now);
std::string time_left_text(const view::Approval& approval, TimeUs now);

/// "1 production, 2 staging (default)"; "yes, no"; empty if the question accepts any text.
std::string options_text(const view::Question& question);

/// The job that asks, or the flow whose step waits at the gate.
std::string_view asker_of(const view::Approval& approval);
/// What it is about, on one line: its tool or gate, and the description, which may begin with that already.
std::string subject_of(const view::Approval& approval);

/// The command that answers it, quoted safely for any name that the agent chose. It names the request by its
/// id (a flow's gate by its step), so it still means this request if another one has replaced it meanwhile.
std::string answer_command(const view::Question& question);
std::string approve_command(const view::Approval& approval);
std::string deny_command(const view::Approval& approval);

}  // namespace luzia
