// Parses the JSON of request files. Agents write it by hand, so parsing is lenient if the meaning is clear,
// and refuses it otherwise.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "adapters/inputs/request_file.h"
#include "engine/base/characters.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

/// Reads members of an object and keeps the first error.
class Members {
 public:
  Members(const Json& object, const char* code) : object_(object), code_(code) {}

  /// Null for a member that is absent, or null.
  const Json* find(const char* name) const {
    const auto it = object_.find(name);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
  }

  std::string text(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) return wrong(name, "a string"), std::string();
    return value->get<std::string>();
  }

  /// The agent's own id; a value that is not a text is ignored, since nobody can expect it back.
  std::string own_id() {
    const Json* value = find("id");
    if (value == nullptr || !value->is_string()) return {};
    auto id = value->get<std::string>();
    if (id.size() > kMaxOwnId) refuse("\"id\" is longer than " + std::to_string(kMaxOwnId) + " bytes");
    return id;
  }

  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> list;
    const Json* value = find(name);
    if (value == nullptr) return list;
    if (!value->is_array()) return wrong(name, "a list of strings"), list;
    for (const Json& each : *value) {
      if (!each.is_string()) return wrong(name, "a list of strings"), list;
      list.push_back(each.get<std::string>());
    }
    return list;
  }

  TimeUs minutes(const char* name) {
    const Json* value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number()) return wrong(name, "a number of minutes, or null"), 0;
    const double minutes = value->get<double>();
    if (!(minutes >= 0)) return refuse(std::string(name) + " is negative"), 0;
    const double micros = minutes * static_cast<double>(kMinuteUs);
    if (micros > static_cast<double>(kMaxInputWait)) {
      return refuse(std::string(name) + " is more than a year"), 0;
    }
    return static_cast<TimeUs>(std::ceil(micros));
  }

  void wrong(const char* name, const char* expected) {
    refuse('"' + std::string(name) + "\" is not " + expected);
  }
  void refuse(std::string why) {
    if (!error_) error_ = Error{ErrorKind::usage, code_, std::move(why), kHint};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr auto kHint = "README, Questions and approvals by file, shows what such a file looks like";

  const Json& object_;
  const char* code_;
  std::optional<Error> error_;
};

schema::QuestionType question_type(Members& members, bool has_options) {
  using schema::QuestionType;
  if (members.find("type") == nullptr) return has_options ? QuestionType::choice : QuestionType::text;
  const std::string word = lower_case(members.text("type"));
  for (const QuestionType type :
       {QuestionType::text, QuestionType::choice, QuestionType::confirm, QuestionType::multi_select}) {
    if (word == schema::EnumNameQuestionType(type)) return type;
  }
  if (!members.error()) members.refuse("\"type\" is none of choice, text, confirm and multi_select");
  return QuestionType::text;
}

/// A confirmation's default may be a JSON boolean, a multiple choice's a list.
std::string default_answer(Members& members, schema::QuestionType type) {
  constexpr auto kName = "default_if_timeout";
  const Json* value = members.find(kName);
  if (value == nullptr) return {};
  if (type == schema::QuestionType::confirm && value->is_boolean()) return value->get<bool>() ? "yes" : "no";
  if (type != schema::QuestionType::multi_select || !value->is_array()) return members.text(kName);
  std::string joined;
  for (const std::string& each : members.texts(kName)) joined += (joined.empty() ? "" : ", ") + each;
  return joined;
}

/// Not JSON: discarded.
Json parse_json(std::string_view bytes) {
  return Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
}

tl::unexpected<Error> not_an_object(const char* code) {
  return fail(ErrorKind::usage, code, "the JSON in it is not an object");
}

}  // namespace

Result<std::optional<QuestionFile>> parse_question_file(std::string_view bytes) {
  constexpr auto kCode = "bad_question_file";
  const Json json = parse_json(bytes);
  if (json.is_discarded()) return std::optional<QuestionFile>();
  if (!json.is_object()) return not_an_object(kCode);
  Members members(json, kCode);
  QuestionFile file;
  file.question = members.text("question");
  file.ends_attempt = lower_case(members.text("status")) == "awaiting_clarification";
  if (file.question.empty() && file.ends_attempt) {
    file.question = members.text("message");
    if (file.question.empty()) file.question = "The agent needs clarification; its output says what about";
  }
  file.options = members.texts("options");
  file.type = question_type(members, !file.options.empty());
  file.timeout = members.minutes("timeout_minutes");
  file.default_answer = default_answer(members, file.type);
  file.own_id = members.own_id();
  const bool chooses =
      file.type == schema::QuestionType::choice || file.type == schema::QuestionType::multi_select;
  if (is_blank(file.question)) members.refuse("there is no \"question\" in it");
  if (chooses && file.options.empty()) members.refuse("a choice without \"options\"");
  if (members.error()) return tl::unexpected(*members.error());
  if (!chooses) file.options.clear();
  return file;
}

Result<std::optional<GateFile>> parse_gate_file(std::string_view bytes) {
  constexpr auto kCode = "bad_gate_file";
  const Json json = parse_json(bytes);
  if (json.is_discarded()) return std::optional<GateFile>();
  if (!json.is_object()) return not_an_object(kCode);
  Members members(json, kCode);
  GateFile file;
  file.gate = members.text("gate");
  file.description = members.text("description");
  (void)members.text("awaiting_since");
  file.auto_approve_after = members.minutes("auto_approve_after_minutes");
  file.own_id = members.own_id();
  if (is_blank(file.gate)) members.refuse("there is no \"gate\" in it");
  if (members.error()) return tl::unexpected(*members.error());
  return file;
}

}  // namespace luzia
