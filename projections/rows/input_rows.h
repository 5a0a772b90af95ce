// Questions and approvals as people and scripts see them. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/manual_steps.h"
#include "projections/rows/row_tables.h"

namespace luzia {

using ShownQuestions = std::vector<const view::Question*>;
using ShownApprovals = std::vector<const view::Approval*>;

/// id job project agent attempt type question options default asked_at deadline state answer answered_by
/// answered_at delivered_at, and more.
std::string question_json(const view::Question& question);
/// The same, as of a question that asks for a yes or no (type "approval"), and gate description tool
/// tool_input rule decision decided_by decided_at policy note remember auto_after.
std::string approval_json(const view::Approval& approval);

/// text, choice, confirm, multi_select.
std::string_view question_type_name(schema::QuestionType type);
/// open, answered, timed_out, cancelled.
std::string_view question_state_name(view::QuestionState state);
/// none, approved, denied, expired.
std::string_view decision_name(schema::Decision decision);
/// open, approved, denied, expired, cancelled: the state in one word.
std::string_view approval_state_name(const view::Approval& approval);
/// The person or the policy that decided, or how nobody did; empty while it is open.
std::string decided_by_text(const view::Approval& approval);

Table questions_table(const ShownQuestions& questions, TimeUs now, Form form = Form::people);
Table approvals_table(const ShownApprovals& approvals, TimeUs now, Form form = Form::people);

/// What is open, for those who are to answer: the text, the options with their numbers, the time that is left
/// and the command that answers it; a paragraph each. Those that are over are left out.
std::string questions_text(const ShownQuestions& questions, TimeUs now, const TableStyle& style);
std::string approvals_text(const ShownApprovals& approvals, TimeUs now, const TableStyle& style);

/// The same of a step that people are to do.
std::string manual_step_card(const ManualStep& step, const TableStyle& style);

/// What is open, one line each, who has waited longest first: job, what is asked, what can be answered, the
/// time that is left. So are steps that people are to do.
Table open_inputs_table(const ShownQuestions& questions, const ShownApprovals& approvals,
                        const std::vector<ManualStep>& steps, TimeUs now);

/// "27m left", "denied in 5m", "no deadline", ...; empty when it is not open.
std::string time_left_text(const view::Question& question, TimeUs now);
std::string time_left_text(const view::Approval& approval, TimeUs now);

/// "1 production, 2 staging (default)"; "yes, no"; empty for a question that takes any text.
std::string options_text(const view::Question& question);

/// The job that asks, or the flow whose step waits at the gate.
std::string_view asker_of(const view::Approval& approval);

/// The command that answers it, whatever the agent has named things. It names the request by its id (a flow's
/// gate by its step), so that it still means this one when another has taken its place meanwhile.
std::string answer_command(const view::Question& question);
std::string approve_command(const view::Approval& approval);
std::string deny_command(const view::Approval& approval);

}  // namespace luzia
