#include "tools/luziad/attempts/given_answer.h"

#include "adapters/inputs/answer_file.h"
#include "engine/job/input_text.h"

namespace luzia {
namespace {

Result<StoredEvent> stored_event(const EventLog& log, Position position) {
  auto event = LUZIA_TRY(log.event(position));
  if (!event)
    return fail(ErrorKind::trouble, "no_answer", "no event " + std::to_string(position) + " in the log");
  return std::move(*event);
}

Result<std::string> text_of(const EventLog& log, Position position, const schema::BlobRef* ref) {
  if (ref == nullptr) return std::string();
  auto content = log.blob(position, ref->index());
  if (!content && content.error().kind == ErrorKind::not_found) return std::string("(erased)");
  return content;
}

/// The default answer, which was stored with the question.
std::string default_of(const view::InputRequestT& input) {
  return normal_answer(input.type, input.options, input.default_answer).value_or(input.default_answer);
}

Status take_answer(const EventLog& log, const view::InputRequestT& input, const schema::QuestionEvent& event,
                   GivenAnswer& given) {
  const auto* fact = event.fact_as_QuestionAnswered();
  if (fact == nullptr)
    return fail(ErrorKind::trouble, "no_answer", "no answer to " + input.id + " in the log");
  if (fact->by_default()) {
    given.answer = default_of(input);
    given.by = "the default";
    given.by_default = true;
    return {};
  }
  given.answer = LUZIA_TRY(text_of(log, input.answer_position, fact->answer()));
  return {};
}

Status take_decision(const view::InputRequestT& input, const schema::ApprovalEvent& event,
                     GivenAnswer& given) {
  const auto* fact = event.fact_as_ApprovalDecided();
  if (fact == nullptr)
    return fail(ErrorKind::trouble, "no_answer", "no decision on " + input.id + " in the log");
  given.decision = fact->decision();
  given.note = text(fact->note());
  if (fact->policy() != nullptr && fact->policy()->size() > 0) given.by = fact->policy()->str();
  return {};
}

const schema::BlobRef* asked_text(const schema::Event& event) {
  if (const auto* question = event.payload_as_QuestionEvent()) {
    const auto* fact = question->fact_as_QuestionAsked();
    return fact != nullptr ? fact->text() : nullptr;
  }
  const auto* approval = event.payload_as_ApprovalEvent();
  const auto* fact = approval != nullptr ? approval->fact_as_ApprovalRequested() : nullptr;
  return fact != nullptr ? fact->description() : nullptr;
}

std::string words_of(const GivenAnswer& given) {
  if (given.kind == view::InputKind::question) {
    const char* const how = given.by_default ? " (the default: nobody answered in time)" : "";
    return "Answer to your question \"" + given.asked + "\": " + given.answer + how + '\n';
  }
  const bool approved = given.decision == schema::Decision::approved;
  std::string words = "Your gate \"" + given.gate + "\" was " + (approved ? "approved" : "not approved");
  if (!given.note.empty()) words += ": " + given.note;
  return words + '\n';
}

}  // namespace

Result<GivenAnswer> read_answer(const EventLog& log, const view::InputRequestT& input) {
  GivenAnswer given;
  given.kind = input.kind;
  given.id = input.id;
  given.gate = input.gate;
  given.type = input.type;
  given.options = input.options;
  const auto asked = LUZIA_TRY(stored_event(log, input.position));
  given.asked = LUZIA_TRY(text_of(log, input.position, asked_text(asked.event())));
  const auto answered = LUZIA_TRY(stored_event(log, input.answer_position));
  const schema::Event& event = answered.event();
  given.at = event.time_us();
  given.by = actor_name(event);
  Status taken = fail(ErrorKind::trouble, "no_answer", "no answer to " + input.id + " in the log");
  if (const auto* question = event.payload_as_QuestionEvent()) {
    taken = take_answer(log, input, *question, given);
  } else if (const auto* approval = event.payload_as_ApprovalEvent()) {
    taken = take_decision(input, *approval, given);
  }
  if (!taken) return tl::unexpected(taken.error());
  return given;
}

std::string answer_file_text(const GivenAnswer& given, const std::string& own_id) {
  if (given.kind == view::InputKind::question) {
    return response_json({given.id, given.type, given.options, given.answer, given.by, given.at, own_id});
  }
  return decision_json({given.id, given.gate, given.decision, given.by, given.at, given.note, own_id});
}

std::string answer_prompt(const std::vector<GivenAnswer>& answers,
                          const std::optional<std::string>& original) {
  std::string words;
  for (const GivenAnswer& given : answers) words += words_of(given);
  if (!original) return words;
  std::string prompt = *original;
  if (!prompt.empty() && prompt.back() != '\n') prompt += '\n';
  return prompt + "\nYou worked on this before, and stopped to ask. This is what you were told:\n\n" + words;
}

}  // namespace luzia
