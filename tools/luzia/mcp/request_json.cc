#include "tools/luzia/mcp/request_json.h"

#include "engine/base/time.h"
#include "tools/luzia/json_text.h"

namespace luzia::mcp {
namespace {

std::string text(const flatbuffers::String* value) {
  return value == nullptr ? std::string() : value->str();
}

Json moment(TimeUs time) {
  return time == 0 ? Json() : Json(format_rfc3339(time));
}

const char* state_word(view::QuestionState state) {
  switch (state) {
    case view::QuestionState::open:
      return "open";
    case view::QuestionState::answered:
      return "answered";
    case view::QuestionState::timed_out:
      return "timed_out";
    case view::QuestionState::cancelled:
      return "cancelled";
  }
  return "";
}

const char* type_word(schema::QuestionType type) {
  switch (type) {
    case schema::QuestionType::text:
      return "text";
    case schema::QuestionType::choice:
      return "choice";
    case schema::QuestionType::confirm:
      return "confirm";
    case schema::QuestionType::multi_select:
      return "multi_select";
  }
  return "";
}

Json decision_word(schema::Decision decision) {
  switch (decision) {
    case schema::Decision::none:
      return nullptr;
    case schema::Decision::approved:
      return "approved";
    case schema::Decision::denied:
      return "denied";
    case schema::Decision::expired:
      return "expired";
  }
  return nullptr;
}

template <class Row>
Json common(const Row& row) {
  return {{"id", text(row.id())},
          {"job", text(row.job())},
          {"project", text(row.project())},
          {"state", state_word(row.state())},
          {"asked_at", moment(row.asked_us())},
          {"deadline", moment(row.deadline_us())}};
}

Json question_of(const view::Question& row) {
  Json question = common(row);
  question["type"] = type_word(row.type());
  question["question"] = text(row.question());
  question["options"] = Json::array();
  for (unsigned i = 0; row.options() != nullptr && i < row.options()->size(); ++i) {
    question["options"].push_back(text(row.options()->Get(i)));
  }
  question["default"] = text(row.default_answer());
  question["answer"] = row.state() == view::QuestionState::answered ? Json(text(row.answer())) : Json();
  question["answered_by"] = text(row.answered_by());
  return question;
}

Json approval_of(const view::Approval& row) {
  Json approval = common(row);
  approval["gate"] = text(row.gate());
  approval["description"] = text(row.description());
  approval["decision"] = decision_word(row.decision());
  approval["note"] = text(row.note());
  approval["policy"] = text(row.policy());
  return approval;
}

}  // namespace

std::string requests_json(const std::vector<const view::Question*>& questions,
                          const std::vector<const view::Approval*>& approvals) {
  Json lists = {{"questions", Json::array()}, {"approvals", Json::array()}};
  for (const view::Question* row : questions) {
    lists["questions"].push_back(question_of(*row));
  }
  for (const view::Approval* row : approvals) {
    lists["approvals"].push_back(approval_of(*row));
  }
  return json_line(lists);
}

}  // namespace luzia::mcp
