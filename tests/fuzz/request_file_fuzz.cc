// Files clarification.json and approval.json: a question or gate within bounds, incomplete, or refused in one
// line. The answer to a valid one is a file of JSON.
#include <nlohmann/json.hpp>

#include "adapters/inputs/answer_file.h"
#include "adapters/inputs/request_file.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using luzia::require;

void require_refusal(const luzia::Error& error) {
  require(!error.code.empty() && !error.message.empty(), "a refusal says why");
  require(error.message.find('\n') == std::string::npos, "in one line");
}

void check_question(std::string_view input) {
  const auto parsed = luzia::parse_question_file(input);
  if (!parsed) return require_refusal(parsed.error());
  if (!*parsed) return;
  const luzia::QuestionFile& question = **parsed;
  require(!question.question.empty(), "a question asks something");
  require(question.timeout >= 0 && question.timeout <= luzia::kMaxInputWait, "the wait is bounded");
  const bool chooses = question.type == luzia::schema::QuestionType::choice ||
                       question.type == luzia::schema::QuestionType::multi_select;
  require(chooses == !question.options.empty(), "a choice has options, nothing else has");
  const std::string answer = luzia::response_json(
      {"q-1", question.type, question.options, question.default_answer, question.question, 1});
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  require(json.is_object() && json["choice"] == question.default_answer, "the answer is what was answered");
}

void check_gate(std::string_view input) {
  const auto parsed = luzia::parse_gate_file(input);
  if (!parsed) return require_refusal(parsed.error());
  if (!*parsed) return;
  const luzia::GateFile& gate = **parsed;
  require(!gate.gate.empty(), "a gate has a name");
  require(gate.auto_approve_after >= 0 && gate.auto_approve_after <= luzia::kMaxInputWait,
          "the wait is bounded");
  const std::string decision =
      luzia::decision_json({"a-1", gate.gate, luzia::schema::Decision::denied, "ada", 1, gate.description});
  const auto json = nlohmann::json::parse(decision, nullptr, false);
  require(json.is_object() && json["gate"] == gate.gate, "the decision names the gate");
}

}  // namespace

void luzia::fuzz(std::string_view input) {
  check_question(input);
  check_gate(input);
}
