// The tables of questions and approvals.
#include <algorithm>

#include "projections/rows/export_fields.h"
#include "projections/rows/input_rows.h"

namespace luzia {
namespace {

using view::Approval;
using view::Question;

ExportValue answer_seconds(TimeUs asked, TimeUs answered) {
  return answered == 0 ? ExportValue() : seconds_value(std::max<TimeUs>(0, answered - asked));
}

constexpr ExportField<Question> kWhatQuestionIs[] = {
    {{"id", kText, "Id of the question."}, [](const Question& row, TimeUs) { return text_value(row.id()); }},
    {{"job", kText, "Job that asked."}, [](const Question& row, TimeUs) { return text_value(row.job()); }},
    {{"project", kText, "Project of the job."},
     [](const Question& row, TimeUs) { return text_value(row.project()); }},
    {{"agent", kText, "Agent of the job."},
     [](const Question& row, TimeUs) { return text_value(row.agent()); }},
    {{"attempt", kInteger, "Attempt that asked."},
     [](const Question& row, TimeUs) { return count_value(row.attempt()); }},
    {{"type", kText, "text, choice, confirm or multi_select."},
     [](const Question& row, TimeUs) { return text_value(question_type_name(row.type())); }},
    {{"question", kText, "What was asked."},
     [](const Question& row, TimeUs) { return text_value(row.question()); }},
    {{"options", kText, "What can be chosen, with commas between."},
     [](const Question& row, TimeUs) { return list_value(row.options()); }},
    {{"default_answer", kText, "The answer at the deadline."},
     [](const Question& row, TimeUs) { return text_value(row.default_answer()); }},
    {{"state", kText, "open, answered, timed_out or cancelled."},
     [](const Question& row, TimeUs) { return text_value(question_state_name(row.state())); }},
    {{"answer", kText, "What was answered."},
     [](const Question& row, TimeUs) { return text_value(row.answer()); }},
    {{"answered_by", kText, "Account, or the default."},
     [](const Question& row, TimeUs) { return text_value(row.answered_by()); }},
    {{"channel", kText, "By which the answer went."},
     [](const Question& row, TimeUs) { return text_value(row.channel()); }},
    {{"asked_at", kText, "RFC 3339, UTC."},
     [](const Question& row, TimeUs) { return time_value(row.asked_us()); }},
    {{"deadline", kText, "RFC 3339, UTC."},
     [](const Question& row, TimeUs) { return time_value(row.deadline_us()); }},
    {{"answered_at", kText, "RFC 3339, UTC."},
     [](const Question& row, TimeUs) { return time_value(row.answered_us()); }},
    {{"delivered_at", kText, "When the agent had the answer, RFC 3339, UTC."},
     [](const Question& row, TimeUs) { return time_value(row.delivered_us()); }},
    {{"answer_seconds", kReal, "From the question to its answer."},
     [](const Question& row, TimeUs) { return answer_seconds(row.asked_us(), row.answered_us()); }},
    {{"reminders", kInteger, "How often people were reminded."},
     [](const Question& row, TimeUs) { return count_value(row.reminded()); }},
    {{"source", kText, "How it was asked: file, cli, mcp."},
     [](const Question& row, TimeUs) { return text_value(row.source()); }},
};

/// A step may reach its gate several times, so the step's name alone is no unique id.
ExportValue approval_id(const Approval& row, TimeUs) {
  const bool repeats = text(row.job()).empty() && row.state() != view::QuestionState::open;
  if (!repeats) return text_value(row.id());
  return std::string(text(row.id())) + "@" + std::to_string(row.position());
}

constexpr ExportField<Approval> kWhatApprovalIs[] = {
    {{"id", kText, "Id of the approval; FLOW/STEP of a flow's gate, with @POSITION once it is over."},
     approval_id},
    {{"job", kText, "Job that asked."}, [](const Approval& row, TimeUs) { return text_value(row.job()); }},
    {{"project", kText, "Project of the job."},
     [](const Approval& row, TimeUs) { return text_value(row.project()); }},
    {{"agent", kText, "Agent of the job."},
     [](const Approval& row, TimeUs) { return text_value(row.agent()); }},
    {{"attempt", kInteger, "Attempt that asked."},
     [](const Approval& row, TimeUs) { return count_value(row.attempt()); }},
    {{"gate", kText, "Gate that was to be opened."},
     [](const Approval& row, TimeUs) { return text_value(row.gate()); }},
    {{"description", kText, "What the agent said about it."},
     [](const Approval& row, TimeUs) { return text_value(row.description()); }},
    {{"tool", kText, "Tool that was to be called."},
     [](const Approval& row, TimeUs) { return text_value(row.tool()); }},
    {{"tool_input", kText, "What it was to be called with, JSON."},
     [](const Approval& row, TimeUs) { return text_value(row.tool_input()); }},
    {{"state", kText, "open, approved, denied, expired or cancelled."},
     [](const Approval& row, TimeUs) { return text_value(approval_state_name(row)); }},
    {{"decided_by", kText, "Account or policy."},
     [](const Approval& row, TimeUs) { return text_value(row.decided_by()); }},
    {{"policy", kText, "Policy of the project that decided."},
     [](const Approval& row, TimeUs) { return text_value(row.policy()); }},
    {{"rule", kText, "What --always is about: \"gate NAME\", a tool, Tool(pattern)."},
     [](const Approval& row, TimeUs) { return text_value(row.rule()); }},
    {{"note", kText, "What who decided said to it."},
     [](const Approval& row, TimeUs) { return text_value(row.note()); }},
    {{"asked_at", kText, "RFC 3339, UTC."},
     [](const Approval& row, TimeUs) { return time_value(row.asked_us()); }},
    {{"deadline", kText, "RFC 3339, UTC."},
     [](const Approval& row, TimeUs) { return time_value(row.deadline_us()); }},
    {{"decided_at", kText, "RFC 3339, UTC."},
     [](const Approval& row, TimeUs) { return time_value(row.decided_us()); }},
    {{"delivered_at", kText, "When the agent had the decision, RFC 3339, UTC."},
     [](const Approval& row, TimeUs) { return time_value(row.delivered_us()); }},
    {{"answer_seconds", kReal, "From the request to its decision."},
     [](const Approval& row, TimeUs) { return answer_seconds(row.asked_us(), row.decided_us()); }},
    {{"source", kText, "How it was asked: file, cli, mcp, hook."},
     [](const Approval& row, TimeUs) { return text_value(row.source()); }},
};

}  // namespace

ExportTable questions_export_table() {
  return {"questions",
          "What agents asked of people.",
          wire::View::questions,
          columns_of(kWhatQuestionIs),
          1,
          {"job", "project", "state"},
          append_one<Question, kWhatQuestionIs>};
}

ExportTable approvals_export_table() {
  return {"approvals",
          "Gates and calls of tools that people or policies decided about.",
          wire::View::approvals,
          columns_of(kWhatApprovalIs),
          1,
          {"job", "project", "gate", "state"},
          append_one<Approval, kWhatApprovalIs>};
}

}  // namespace luzia
