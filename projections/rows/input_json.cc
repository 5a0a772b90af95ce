// Questions and approvals as JSON.
#include "engine/flow/flow.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/times.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

class InputObject {
 public:
  explicit InputObject(std::string& out) : json_(out) { json_.begin_object(); }
  void end() { json_.end_object(); }

  void words(std::string_view key, std::string_view value) {
    json_.key(key);
    json_.text_or_null(value);
  }
  void words(std::string_view key, const flatbuffers::String* value) { words(key, text(value)); }
  void number(std::string_view key, auto value) {
    json_.key(key);
    json_.number(value);
  }
  /// Writes a field only if the text is unreadable; the placeholder text is in the JSON too.
  void fault(std::string_view key, const flatbuffers::String* shown, const schema::BlobRef* stored) {
    if (is_unreadable(text(shown), stored)) words(key, kTextUnreadable);
  }
  void boolean(std::string_view key, bool value) {
    json_.key(key);
    json_.boolean(value);
  }
  void time(std::string_view key, TimeUs value) { words(key, full_time(value)); }
  void strings(std::string_view key,
               const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* values) {
    json_.key(key);
    json_.begin_array();
    if (values) {
      for (const auto* value : *values) json_.text(value->string_view());
    }
    json_.end_array();
  }
  void choices(std::string_view key, std::initializer_list<std::string_view> values) {
    json_.key(key);
    json_.begin_array();
    for (const std::string_view value : values) json_.text(value);
    json_.end_array();
  }
  /// Times as microseconds, for scripts that calculate.
  void microseconds(TimeUs asked, TimeUs deadline, TimeUs answered, TimeUs delivered) {
    number("asked_us", asked);
    number("deadline_us", deadline);
    number("answered_us", answered);
    number("delivered_us", delivered);
  }

 private:
  JsonWriter json_;
};

template <class Row>
void write_subject(InputObject& object, const Row& row) {
  object.words("id", row.id());
  object.words("job", row.job());
  object.words("project", row.project());
  object.words("agent", row.agent());
  object.number("attempt", row.attempt());
}

/// How the request was asked and reported.
template <class Row>
void write_course(InputObject& object, const Row& row) {
  object.words("channel", row.channel());
  object.words("source", row.source());
  object.number("reminded", row.reminded());
  object.words("reason", row.reason());
  object.time("answer_by", row.answer_by_us());
  object.number("answer_by_us", row.answer_by_us());
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

std::string question_json(const view::Question& question) {
  std::string out;
  InputObject object(out);
  write_subject(object, question);
  object.words("type", question_type_name(question.type()));
  object.words("question", question.question());
  object.fault("question_error", question.question(), question.text());
  object.strings("options", question.options());
  object.words("default", question.default_answer());
  object.time("asked_at", question.asked_us());
  object.time("deadline", question.deadline_us());
  object.words("state", question_state_name(question.state()));
  object.words("answer", question.answer());
  object.fault("answer_error", question.answer(), question.answer_text());
  object.words("answered_by", question.answered_by());
  object.time("answered_at", question.answered_us());
  object.time("delivered_at", question.delivered_us());
  object.microseconds(question.asked_us(), question.deadline_us(), question.answered_us(),
                      question.delivered_us());
  object.boolean("by_default", question.by_default());
  write_course(object, question);
  object.end();
  return out;
}

std::string approval_json(const view::Approval& approval) {
  const bool is_decided = approval.decision() != schema::Decision::none;
  const std::string_view decision = is_decided ? decision_name(approval.decision()) : std::string_view{};
  std::string out;
  InputObject object(out);
  write_subject(object, approval);
  if (const auto of_flow = split_flow_step(text(approval.id())); of_flow && text(approval.job()).empty()) {
    object.words("flow", of_flow->first);
    object.words("step", of_flow->second);
  }
  object.words("type", "approval");
  object.words("gate", approval.gate());
  object.words("description", approval.description());
  object.fault("description_error", approval.description(), approval.description_text());
  object.words("tool", approval.tool());
  object.words("tool_input", approval.tool_input());
  object.fault("tool_input_error", approval.tool_input(), approval.input_text());
  object.words("rule", approval.rule());
  object.words("question", approval.description());
  object.choices("options", {"approve", "deny"});
  object.words("default", approval.auto_after_us() != 0 ? "approve" : "");
  object.time("asked_at", approval.asked_us());
  object.time("deadline", approval.deadline_us());
  object.time("auto_after", approval.auto_after_us());
  object.words("state", question_state_name(approval.state()));
  object.words("decision", decision);
  object.words("decided_by", approval.decided_by());
  object.time("decided_at", approval.decided_us());
  object.words("policy", approval.policy());
  object.words("note", approval.note());
  object.boolean("remember", approval.remember());
  object.words("answer", decision);
  object.words("answered_by", approval.decided_by());
  object.time("answered_at", approval.decided_us());
  object.time("delivered_at", approval.delivered_us());
  object.microseconds(approval.asked_us(), approval.deadline_us(), approval.decided_us(),
                      approval.delivered_us());
  object.number("auto_after_us", approval.auto_after_us());
  write_course(object, approval);
  object.end();
  return out;
}

}  // namespace luzia
