#include "tests/simulation/flow_commands.h"

namespace luzia::test {
namespace {

std::string step_name(std::uint64_t which) {
  return "s" + std::to_string(which);
}

Blob some_text() {
  return {0, std::string(16, 's'), "text"};
}

}  // namespace

ToFlow random_flow(Dice& dice, const std::string& id, std::string& words) {
  CreateFlow create;
  create.id = id;
  create.flow.project = dice.one_in(2) ? "alpha" : "beta";
  create.flow.runs = !dice.one_in(4);
  create.flow.keep_going = dice.one_in(2);
  create.flow.max_running = static_cast<std::uint32_t>(dice.below(3));
  const std::uint64_t steps = 1 + dice.below(4);
  for (std::uint64_t i = 0; i < steps; ++i) {
    NewStep step;
    step.step.name = step_name(i);
    step.step.retries = static_cast<std::uint32_t>(dice.below(3));
    if (dice.one_in(6)) step.step.gate = "gate";
    for (std::uint64_t before = 0; before < i; ++before) {
      if (dice.one_in(2)) step.step.needs.push_back(step_name(before));
    }
    if (!dice.one_in(5)) step.prompt = some_text();
    create.steps.push_back(std::move(step));
  }
  words = "create flow " + id + " of " + std::to_string(steps) + " steps";
  return {id, std::move(create)};
}

ToFlow random_flow_command(Dice& dice, const std::vector<std::string>& flows, std::string& words) {
  const std::string& flow = flows[dice.below(flows.size())];
  const std::string step = step_name(dice.below(5));
  const auto send = [&](const std::string& what, FlowCommand command) -> ToFlow {
    words = what + " " + flow + "/" + step;
    return {flow, std::move(command)};
  };
  switch (dice.below(13)) {
    case 0:
      return send("start", StartStep{step});
    case 1:
      return send("complete", EndStep{step, schema::StepState::completed, some_text()});
    case 2:
      return send("fail", EndStep{step, schema::StepState::failed});
    case 3:
      return send("skip", EndStep{step, schema::StepState::skipped});
    case 4:
      return send("reset", ResetStep{step, "again"});
    case 5:
      return send("open gate of", DecideStepGate{step, true, ""});
    case 6:
      return send("deny gate of", DecideStepGate{step, false, ""});
    case 7:
      return send("pause", PauseFlow{""});
    case 8:
      return send("resume", ResumeFlow{""});
    case 9:
      return send("end", EndFlow{"enough"});
    case 10:
      return send("reopen", ReopenFlow{"go on"});
    case 11:
      return send("remove", RemoveFlow{"done with"});
    default:
      return send("note in", NoteFlow{"key", std::to_string(dice.below(3))});
  }
}

void lift_flow(Engine& engine, const std::string& flow, TimeUs now) {
  const auto send = [&](FlowCommand command) {
    CommandMeta meta;
    meta.now = now;
    engine.submit(meta, ToFlow{flow, std::move(command)}, {});
  };
  send(ResumeFlow{""});
  const Flow* live = engine.flows().find(flow);
  if (live == nullptr) return;
  std::vector<std::string> gates, by_people;
  for (const auto& step : live->steps) {
    const bool pending = step->state == schema::StepState::pending && needs_are_met(*live, *step);
    if (pending && step->gate_state == view::GateState::asked) gates.push_back(step->name);
    const bool no_job =
        !step->has_prompt && (step->gate.empty() || step->gate_state == view::GateState::opened);
    if ((pending || (step->state == schema::StepState::in_progress && step->job.empty())) && no_job) {
      by_people.push_back(step->name);
    }
  }
  for (const std::string& step : gates) send(DecideStepGate{step, true, ""});
  for (const std::string& step : by_people) send(EndStep{step, schema::StepState::completed});
}

}  // namespace luzia::test
