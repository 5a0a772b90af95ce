// Questions and approvals as JSON.
#include "engine/flow/flow.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/json_object.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

/// Writes a field only if the text is unreadable; the placeholder text is in the JSON too.
void write_fault(JsonObject& object, std::string_view key, const flatbuffers::String* shown,
                 const schema::BlobRef* stored) {
  if (is_unreadable(text(shown), stored)) object.text(key, kTextUnreadable);
}

/// Times as microseconds, for scripts that calculate.
void write_microseconds(JsonObject& object, TimeUs asked, TimeUs deadline, TimeUs answered,
                        TimeUs delivered) {
  object.number("asked_us", asked);
  object.number("deadline_us", deadline);
  object.number("answered_us", answered);
  object.number("delivered_us", delivered);
}

template <class Row>
void write_subject(JsonObject& object, const Row& row) {
  object.text_or_null("id", row.id());
  object.text_or_null("job", row.job());
  object.text_or_null("project", row.project());
  object.text_or_null("agent", row.agent());
  object.number("attempt", row.attempt());
}

/// How the request was asked and reported.
template <class Row>
void write_course(JsonObject& object, const Row& row) {
  object.text_or_null("channel", row.channel());
  object.text_or_null("source", row.source());
  object.number("reminded", row.reminded());
  object.text_or_null("reason", row.reason());
  object.time("answer_by", "answer_by_us", row.answer_by_us());
  object.number("priority", row.priority());
  object.number("position", row.position());
}

}  // namespace

std::string_view question_type_name(schema::QuestionType type) {
  return schema::EnumNameQuestionType(type);
}

std::string_view question_state_name(view::QuestionState state) {
  return view::EnumNameQuestionState(state);
}

std::string_view decision_name(schema::Decision decision) {
  return schema::EnumNameDecision(decision);
}

bool takes_any_text(const view::Question& question) {
  return question.free_text() || question.type() == schema::QuestionType::text;
}

std::string question_json(const view::Question& question) {
  JsonObject object;
  write_subject(object, question);
  object.text_or_null("type", question_type_name(question.type()));
  object.text_or_null("question", question.question());
  write_fault(object, "question_error", question.question(), question.text());
  object.strings("options", question.options());
  object.boolean("free_text", takes_any_text(question));
  object.text_or_null("default", question.default_answer());
  object.time("asked_at", question.asked_us());
  object.time("deadline", question.deadline_us());
  object.text_or_null("state", question_state_name(question.state()));
  object.text_or_null("answer", question.answer());
  write_fault(object, "answer_error", question.answer(), question.answer_text());
  object.text_or_null("answered_by", question.answered_by());
  object.time("answered_at", question.answered_us());
  object.time("delivered_at", question.delivered_us());
  write_microseconds(object, question.asked_us(), question.deadline_us(), question.answered_us(),
                     question.delivered_us());
  object.boolean("by_default", question.by_default());
  write_course(object, question);
  return object.take();
}

std::string approval_json(const view::Approval& approval) {
  const bool is_decided = approval.decision() != schema::Decision::none;
  const std::string_view decision = is_decided ? decision_name(approval.decision()) : std::string_view{};
  JsonObject object;
  write_subject(object, approval);
  if (const auto of_flow = split_flow_step(text(approval.id())); of_flow && text(approval.job()).empty()) {
    object.text_or_null("flow", of_flow->first);
    object.text_or_null("step", of_flow->second);
  }
  object.text_or_null("type", "approval");
  object.text_or_null("gate", approval.gate());
  object.text_or_null("description", approval.description());
  write_fault(object, "description_error", approval.description(), approval.description_text());
  object.text_or_null("tool", approval.tool());
  object.text_or_null("tool_input", approval.tool_input());
  write_fault(object, "tool_input_error", approval.tool_input(), approval.input_text());
  object.text_or_null("rule", approval.rule());
  object.text_or_null("question", approval.description());
  object.strings("options", std::vector<std::string>{"approve", "deny"});
  object.text_or_null("default", approval.auto_after_us() != 0 ? "approve" : "");
  object.time("asked_at", approval.asked_us());
  object.time("deadline", approval.deadline_us());
  object.time("auto_after", approval.auto_after_us());
  object.text_or_null("state", question_state_name(approval.state()));
  object.text_or_null("decision", decision);
  object.text_or_null("decided_by", approval.decided_by());
  object.time("decided_at", approval.decided_us());
  object.text_or_null("policy", approval.policy());
  object.text_or_null("note", approval.note());
  object.boolean("remember", approval.remember());
  object.text_or_null("answer", decision);
  object.text_or_null("answered_by", approval.decided_by());
  object.time("answered_at", approval.decided_us());
  object.time("delivered_at", approval.delivered_us());
  write_microseconds(object, approval.asked_us(), approval.deadline_us(), approval.decided_us(),
                     approval.delivered_us());
  object.number("auto_after_us", approval.auto_after_us());
  write_course(object, approval);
  return object.take();
}

}  // namespace luzia
