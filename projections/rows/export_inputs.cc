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
    {{"id", kText, "Id of the question."}, as_is<&Question::id>},
    {{"job", kText, "Job that asked."}, as_is<&Question::job>},
    {{"project", kText, "Project of the job."}, as_is<&Question::project>},
    {{"agent", kText, "Agent of the job."}, as_is<&Question::agent>},
    {{"attempt", kInteger, "Attempt that asked."}, as_is<&Question::attempt>},
    {{"type", kText, "text, choice, confirm or multi_select."},
     as_named<&Question::type, question_type_name>},
    {{"question", kText, "What was asked.", "TEXT"}, as_is<&Question::question>},
    {{"options", kText, "What can be chosen, with commas between."}, as_is<&Question::options>},
    {{"free_text", kInteger, "1: any text is an answer, beside the options."},
     [](const Question& row, TimeUs) { return plain_value(takes_any_text(row)); }},
    {{"default_answer", kText, "The answer at the deadline."}, as_is<&Question::default_answer>},
    {{"state", kText, "open, answered, timed_out or cancelled."},
     as_named<&Question::state, question_state_name>},
    {{"answer", kText, "What was answered."}, as_is<&Question::answer>},
    {{"answered_by", kText, "Account, or the default.", "BY"}, as_is<&Question::answered_by>},
    {{"channel", kText, "By which the answer went."}, as_is<&Question::channel>},
    {{"asked_at", kText, "RFC 3339, UTC."}, as_time<&Question::asked_us>},
    {{"deadline", kText, "RFC 3339, UTC."}, as_time<&Question::deadline_us>},
    {{"answered_at", kText, "RFC 3339, UTC."}, as_time<&Question::answered_us>},
    {{"delivered_at", kText, "When the agent had the answer, RFC 3339, UTC."},
     as_time<&Question::delivered_us>},
    {{"answer_seconds", kReal, "From the question to its answer."},
     [](const Question& row, TimeUs) { return answer_seconds(row.asked_us(), row.answered_us()); }},
    {{"reminders", kInteger, "How often people were reminded."}, as_is<&Question::reminded>},
    {{"source", kText, "How it was asked: file, cli, mcp."}, as_is<&Question::source>},
    {{"by_default", kInteger, "1: nobody answered, so the default applied."}, as_is<&Question::by_default>},
    {{"reason", kText, "Why it was cancelled."}, as_is<&Question::reason>},
};

/// A step may reach its gate several times, so the step's name alone is no unique id.
ExportValue approval_id(const Approval& row, TimeUs) {
  const bool repeats = text(row.job()).empty() && row.state() != view::QuestionState::open;
  if (!repeats) return plain_value(row.id());
  return std::string(text(row.id())) + "@" + std::to_string(row.position());
}

constexpr ExportField<Approval> kWhatApprovalIs[] = {
    {{"id", kText, "Id of the approval; FLOW/STEP of a flow's gate, with @POSITION once it is over.",
      "APPROVAL"},
     approval_id},
    {{"job", kText, "Job that asked."}, as_is<&Approval::job>},
    {{"project", kText, "Project of the job."}, as_is<&Approval::project>},
    {{"agent", kText, "Agent of the job."}, as_is<&Approval::agent>},
    {{"attempt", kInteger, "Attempt that asked."}, as_is<&Approval::attempt>},
    {{"gate", kText, "Gate that was to be opened."}, as_is<&Approval::gate>},
    {{"description", kText, "What the agent said about it."}, as_is<&Approval::description>},
    {{"tool", kText, "Tool that was to be called."}, as_is<&Approval::tool>},
    {{"tool_input", kText, "What it was to be called with, JSON."}, as_is<&Approval::tool_input>},
    {{"state", kText, "open, approved, denied, expired or cancelled."},
     [](const Approval& row, TimeUs) { return plain_value(approval_state_name(row)); }},
    {{"decided_by", kText, "Account or policy.", "BY"}, as_is<&Approval::decided_by>},
    {{"policy", kText, "Policy of the project that decided."}, as_is<&Approval::policy>},
    {{"rule", kText, "What --always is about: \"gate NAME\", a tool, Tool(pattern)."},
     as_is<&Approval::rule>},
    {{"note", kText, "What who decided said to it."}, as_is<&Approval::note>},
    {{"asked_at", kText, "RFC 3339, UTC."}, as_time<&Approval::asked_us>},
    {{"deadline", kText, "RFC 3339, UTC."}, as_time<&Approval::deadline_us>},
    {{"decided_at", kText, "RFC 3339, UTC."}, as_time<&Approval::decided_us>},
    {{"delivered_at", kText, "When the agent had the decision, RFC 3339, UTC."},
     as_time<&Approval::delivered_us>},
    {{"answer_seconds", kReal, "From the request to its decision."},
     [](const Approval& row, TimeUs) { return answer_seconds(row.asked_us(), row.decided_us()); }},
    {{"source", kText, "How it was asked: file, cli, mcp, hook."}, as_is<&Approval::source>},
    {{"decision", kText, "approved, denied or expired."},
     [](const Approval& row, TimeUs) {
       const bool is_decided = row.decision() != schema::Decision::none;
       return is_decided ? plain_value(decision_name(row.decision())) : ExportValue();
     }},
    {{"auto_after", kText, "When a policy approves it, RFC 3339, UTC."}, as_time<&Approval::auto_after_us>},
    {{"remember", kInteger, "1: the decision holds for later calls, too."}, as_is<&Approval::remember>},
    {{"reason", kText, "Why it was cancelled."}, as_is<&Approval::reason>},
};

}  // namespace

Table questions_data(const ShownQuestions& questions) {
  return data_table(kWhatQuestionIs, questions);
}

Table approvals_data(const ShownApprovals& approvals) {
  return data_table(kWhatApprovalIs, approvals);
}

ExportTable questions_export_table() {
  return table_of<Question, kWhatQuestionIs>("questions", "What agents asked of people.",
                                             wire::View::questions, 1, {"job", "project", "state"});
}

ExportTable approvals_export_table() {
  return table_of<Approval, kWhatApprovalIs>(
      "approvals", "Gates and calls of tools that people or policies decided about.", wire::View::approvals,
      1, {"job", "project", "gate", "state"});
}

}  // namespace luzia
