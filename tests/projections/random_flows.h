// Random valid flows, driven by decide() and evolve(). Many commands are refused, as in real use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/flow/flow.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {

class RandomFlows {
 public:
  explicit RandomFlows(std::function<std::uint64_t(std::uint64_t)> below) : below_(std::move(below)) {}

  /// Issues one more command and returns the number of its events. `job`: an existing job.
  std::size_t step(LogWriter& writer, const std::string& job) {
    if (flows_.empty() || below_(10) == 0) {
      flows_.emplace_back();
      return order(writer, flows_.back(), create());
    }
    return order(writer, flows_[below_(flows_.size())], command(job));
  }
  const std::vector<Flow>& flows() const { return flows_; }

 private:
  static Blob blob(std::string content) { return Blob{0, "0123456789abcdef", std::move(content)}; }

  std::size_t order(LogWriter& writer, Flow& flow, FlowCommand command) {
    auto events = decide(flow, std::move(command), writer.now);
    if (!events) return 0;
    for (NewEvent& event : *events) evolve(flow, writer.add(std::move(event)));
    return events->size();
  }

  CreateFlow create() {
    CreateFlow command;
    command.id =
        "f-" + std::string(1, static_cast<char>('a' + flows_.size() % 26)) + std::to_string(flows_.size());
    command.flow.project = below_(2) == 0 ? "alpha" : "beta";
    command.flow.runs = below_(2) == 0;
    command.flow.keep_going = below_(2) == 0;
    for (std::uint64_t i = 0; i < 4; ++i) {
      NewStep made;
      made.step.name = "step " + std::to_string(i);
      if (i > 0 && below_(2) == 0) made.step.needs = {"step " + std::to_string(below_(i))};
      if (below_(5) == 0) made.step.gate = "gate";
      if (below_(2) == 0) made.prompt = blob("do it");
      command.steps.push_back(std::move(made));
    }
    auto follow_up = std::make_unique<schema::FollowUpT>();
    follow_up->step = "step 1";
    follow_up->text = "look at it";
    command.flow.follow_ups.push_back(std::move(follow_up));
    return command;
  }

  FlowCommand command(const std::string& job) {
    const std::string step = "step " + std::to_string(below_(5));
    switch (below_(16)) {
      case 0:
        return StartStep{step};
      case 1:
      case 2:
        return EndStep{step, schema::StepState::completed, blob("came out")};
      case 3:
        return EndStep{step, schema::StepState::failed, std::nullopt, "broke"};
      case 4:
        return EndStep{step, schema::StepState::skipped};
      case 5:
        return ResetStep{step, "again"};
      case 6:
        return DecideStepGate{step, below_(3) != 0, "noted"};
      case 7:
        return NoteStepQueued{step, job};
      case 8:
        return NoteStepStarted{step, job, 1};
      case 9:
        return NoteStepEnded{step, job, below_(2) == 0, below_(2) == 0, "exit code 1"};
      case 10:
        return TagFlow{{"t" + std::to_string(below_(3))}, {"t" + std::to_string(below_(3))}};
      case 11:
        return NoteFlow{"key", std::to_string(below_(3))};
      case 12:
        return ReopenFlow{"go on"};
      case 13:
        return EndFlow{"enough"};
      case 14:
        return RemoveFlow{"done with"};
      default:
        return ShiftFlow{static_cast<TimeUs>(below_(kMinuteUs))};
    }
  }

  std::function<std::uint64_t(std::uint64_t)> below_;
  std::vector<Flow> flows_;
};

}  // namespace luzia::test
