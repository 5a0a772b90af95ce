#include "tests/simulation/input_commands.h"

#include "engine/job/input_state.h"

namespace luzia::test {
namespace {

Blob words_blob(std::uint32_t index, std::string content) {
  return {index, std::string(16, 's'), std::move(content)};
}

TimeUs later(Dice& dice, TimeUs now) {
  return now + static_cast<TimeUs>(1 + dice.below(40)) * kSecondUs;
}

/// One of a few hashes, so that the same content occurs again.
std::string some_hash(Dice& dice) {
  return std::string(32, static_cast<char>('a' + dice.below(3)));
}

AskQuestion some_question(Dice& dice, std::size_t serial, TimeUs now) {
  AskQuestion ask;
  ask.id = "q" + std::to_string(serial);
  ask.text = words_blob(0, "which way?");
  if (dice.one_in(2)) {
    ask.type = schema::QuestionType::choice;
    ask.options = {"north", "south"};
  }
  if (dice.one_in(2)) ask.default_answer = "north";
  if (dice.one_in(2)) ask.deadline = later(dice, now);
  if (dice.one_in(3)) ask.remind = {now + kSecondUs, now + 5 * kSecondUs};
  ask.source = dice.one_in(2) ? "file" : "cli";
  if (ask.source == "file") ask.file_hash = some_hash(dice);
  return ask;
}

RequestApproval some_gate(Dice& dice, std::size_t serial, TimeUs now) {
  RequestApproval gate;
  gate.id = "a" + std::to_string(serial);
  gate.gate = dice.one_in(2) ? "deploy" : "migrate";
  gate.rule = gate.gate;
  gate.description = words_blob(0, "may I?");
  gate.tool_input = words_blob(1, "");
  if (dice.one_in(3)) gate.auto_after = later(dice, now);
  if (dice.one_in(3)) gate.deadline = later(dice, now);
  gate.source = dice.one_in(2) ? "file" : "mcp";
  if (gate.source == "file") gate.file_hash = some_hash(dice);
  if (dice.one_in(6)) {
    gate.policy_decision = dice.one_in(2) ? schema::Decision::approved : schema::Decision::denied;
    gate.policy = "policy";
  }
  return gate;
}

/// A warning about attempt 1, as the monitor reports it. It leads to a warning, a question or a stop.
WarnJob some_silence(Dice& dice, std::size_t serial) {
  WarnJob silence;
  silence.attempt = 1;
  silence.message = "has printed nothing";
  silence.stop = dice.one_in(8);
  if (dice.one_in(2)) {
    AskQuestion ask;
    ask.id = "q" + std::to_string(serial);
    ask.type = schema::QuestionType::choice;
    ask.text = words_blob(0, "go on?");
    ask.options = {kKeepWaiting, kStopIt};
    ask.source = "monitor";
    ask.unattended = true;
    silence.ask = std::move(ask);
  }
  return silence;
}

}  // namespace

JobCommand random_input_command(Dice& dice, std::size_t serial, TimeUs now, std::string& words) {
  // Questions and approvals are numbered by the commands that made them: takes a recent one, perhaps of
  // another job.
  const std::string recent = std::to_string(serial - std::min<std::size_t>(serial, dice.below(12)));
  switch (dice.below(8)) {
    case 0:
      words = "ask q" + std::to_string(serial) + " of";
      return some_question(dice, serial, now);
    case 1:
      words = "gate a" + std::to_string(serial) + " of";
      return some_gate(dice, serial, now);
    case 2:
      words = "answer";
      return AnswerQuestion{dice.one_in(2) ? "" : "q" + recent,
                            words_blob(0, dice.one_in(3) ? "1" : "south")};
    case 3: {
      const bool approve = dice.one_in(2), remember = dice.one_in(3);
      words = approve ? "approve" : "deny";
      return DecideApproval{dice.one_in(2) ? "" : "a" + recent, approve, "", remember};
    }
    case 4:
      words = "cancel a question of";
      return CancelQuestion{"q" + recent, "moot"};
    case 5:
      words = "cancel an approval of";
      return CancelApproval{dice.one_in(2) ? "" : "a" + recent, "moot"};
    case 6:
      words = "tell of the silence of";
      return some_silence(dice, serial);
    default:
      words = "confirm an answer of";
      return ConfirmDelivery{(dice.one_in(2) ? "q" : "a") + recent, "client"};
  }
}

void settle_inputs(Engine& engine, const std::string& job, TimeUs now) {
  const JobState* state = engine.find_live(job);
  if (state == nullptr) return;
  std::vector<JobCommand> commands;
  for (const auto& input : state->inputs) {
    if (!is_open(*input)) continue;
    if (input->kind == view::InputKind::question) {
      commands.emplace_back(AnswerQuestion{input->id, words_blob(0, input->unattended ? "1" : "south")});
    } else {
      commands.emplace_back(DecideApproval{input->id, true, "", false});
    }
  }
  for (JobCommand& command : commands) {
    CommandMeta meta;
    meta.now = now;
    engine.submit(meta, std::vector<ToJob>{{job, std::move(command)}}, {});
  }
}

}  // namespace luzia::test
