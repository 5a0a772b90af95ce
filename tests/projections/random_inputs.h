// Random commands about a job's questions, approvals and workspace. Many are refused, as in real use.
#pragma once

#include <functional>
#include <string>

#include "engine/job/job.h"

namespace luzia::test {

class RandomInputs {
 public:
  explicit RandomInputs(std::function<std::uint64_t(std::uint64_t)> below) : below_(std::move(below)) {}

  JobCommand command(const JobState& job, TimeUs now) {
    switch (below_(15)) {
      case 0:
      case 1:
        return ask(now);
      case 2:
      case 3:
        return request(now);
      case 4:
        return AnswerQuestion{some_input(job), blob("yes")};
      case 5:
        return CancelQuestion{some_input(job), "not needed any more"};
      case 6:
        return DecideApproval{some_input(job), below_(2) == 0, "noted", below_(3) == 0};
      case 7:
        return ConfirmDelivery{some_input(job), below_(2) == 0 ? "file" : "client"};
      case 9:
        return CancelApproval{some_input(job), "nobody waits"};
      case 10:
        return silence(job);
      case 8:
        return ShiftDeadlines{static_cast<TimeUs>(below_(2) == 0 ? kMinuteUs : -kMinuteUs)};
      case 11:
        return RemindOfInput{some_input(job), "boss"};
      case 12:
        return TellJob{"m-" + std::to_string(++last_), blob("look\x1b[31m"), {"a.cc"}, "", "cli"};
      case 13:
        return read_told(job);
      default:
        return note_workspace(job);
    }
  }

 private:
  static Blob blob(std::string content, std::uint32_t index = 0) {
    return Blob{index, "0123456789abcdef", std::move(content)};
  }
  std::string some_input(const JobState& job) {
    return job.inputs.empty() ? std::string("q-none") : job.inputs[below_(job.inputs.size())]->id;
  }
  static ReadTold read_told(const JobState& job) {
    ReadTold read;
    read.attempt = job.attempt;
    for (const auto& told : job.told) {
      if (!told->read) read.messages.push_back(told->id);
    }
    return read;
  }
  TimeUs moment_or_none(TimeUs now) {
    return below_(2) == 0 ? 0 : now + static_cast<TimeUs>(1 + below_(2 * kHourUs));
  }

  AskQuestion ask(TimeUs now) {
    AskQuestion command;
    command.id = "q-" + std::to_string(++last_);
    command.type = below_(2) == 0 ? schema::QuestionType::confirm : schema::QuestionType::text;
    command.text = blob("shall I?\x1b[31m");
    command.deadline = moment_or_none(now);
    if (command.deadline != 0 && below_(2) == 0) {
      command.default_answer = "no";
      command.remind = {now + kMinuteUs};
    }
    command.source = below_(3) == 0 ? "file" : "cli";
    if (command.source == "file") command.file_hash = std::string(32, static_cast<char>('a' + below_(20)));
    return command;
  }
  WarnJob silence(const JobState& job) {
    WarnJob command;
    command.attempt = job.attempt;
    command.message = "has printed nothing";
    command.ask = ask(0);
    command.ask->type = schema::QuestionType::choice;
    command.ask->options = {kKeepWaiting, "yes"};
    command.ask->source = "monitor";
    command.ask->file_hash.clear();
    command.ask->unattended = true;
    return command;
  }
  RequestApproval request(TimeUs now) {
    RequestApproval command;
    command.id = "a-" + std::to_string(++last_);
    command.gate = "Bash";
    command.description = blob("wants to push");
    command.tool_input = blob(below_(2) == 0 ? "{}" : "", 1);
    command.rule = "Bash(" + std::to_string(below_(3)) + ")";
    command.auto_after = moment_or_none(now);
    command.deadline = moment_or_none(now);
    command.source = "mcp";
    if (below_(4) == 0) {
      command.policy_decision = below_(2) == 0 ? schema::Decision::approved : schema::Decision::denied;
      command.policy = "always";
    }
    return command;
  }
  NoteWorkspace note_workspace(const JobState& job) {
    NoteWorkspace command;
    const std::string path = "/trees/" + std::to_string(below_(2));
    if (below_(2) == 0) {
      schema::SnapshotTakenT fact;
      fact.attempt = job.attempt + static_cast<std::uint32_t>(below_(2));
      fact.commit = "commit-" + std::to_string(++last_);
      command.fact.Set(std::move(fact));
    } else if (below_(2) == 0) {
      schema::WorktreeMadeT fact;
      fact.path = path;
      command.fact.Set(std::move(fact));
    } else {
      schema::WorktreeRemovedT fact;
      fact.path = path;
      command.fact.Set(std::move(fact));
    }
    return command;
  }

  std::function<std::uint64_t(std::uint64_t)> below_;
  std::uint64_t last_ = 0;
};

}  // namespace luzia::test
