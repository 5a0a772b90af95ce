// Checks the steps of a flow, and whether a step has passed its gate.
#include <algorithm>
#include <map>
#include <set>

#include "engine/base/utf8.h"
#include "engine/flow/flow_facts.h"

namespace luzia {
namespace {

using Needs = std::map<std::string, const std::vector<std::string>*, std::less<>>;

/// Searches depth-first along dependencies from `name`. `path`: the way so far; if there is a cycle, it
/// remains there.
bool leads_to_cycle(const Needs& needs, const std::string& name, std::vector<std::string>& path,
                    std::set<std::string>& done) {
  if (done.contains(name)) return false;
  const bool again = std::ranges::find(path, name) != path.end();
  path.push_back(name);
  if (again) return true;
  const auto it = needs.find(name);
  if (it != needs.end()) {
    for (const std::string& needed : *it->second) {
      if (leads_to_cycle(needs, needed, path, done)) return true;
    }
  }
  path.pop_back();
  done.insert(name);
  return false;
}

Status check_cycles(const Needs& needs) {
  std::set<std::string> done;
  for (const auto& [name, needed] : needs) {
    std::vector<std::string> path;
    if (!leads_to_cycle(needs, name, path, done)) continue;
    std::string shown;
    const auto first = std::ranges::find(path, path.back());
    for (auto it = first; it != path.end(); ++it) shown += (it == first ? "" : " needs ") + *it;
    return fail(ErrorKind::usage, "step_cycle", "the steps need one another in a circle: " + shown,
                "take one of these needs away");
  }
  return {};
}

Status check_step(const NewStep& step, const Needs& all, const std::vector<std::string>& known) {
  LUZIA_TRY(check_name(step.step.name, "a step's name"));
  if (step.step.name.find('/') != std::string::npos) {
    return fail(ErrorKind::usage, "bad_step", "step '" + step.step.name + "' has a slash in its name",
                "FLOW/STEP names a step: choose another character");
  }
  if (!step.step.gate.empty()) {
    LUZIA_TRY(check_name(step.step.gate, "a gate's name"));
  }
  LUZIA_TRY(check_text(step.step.description, "description of step " + step.step.name));
  if (step.step.agent.size() > kMaxFlowName || step.step.needs.size() > kMaxFlowSteps ||
      step.step.tags.size() > kMaxFlowTags) {
    return fail(ErrorKind::usage, "bad_step", "step '" + step.step.name + "' names too much",
                "at most " + std::to_string(kMaxFlowSteps) + " steps, " + std::to_string(kMaxFlowTags) +
                    " tags and an agent of " + std::to_string(kMaxFlowName) + " bytes");
  }
  for (const std::string& tag : step.step.tags) {
    // The same rules as for jobs, which get these tags.
    const bool sound = !tag.empty() && is_plain_line(tag, 64) && tag.find_first_of(" ,") == std::string::npos;
    if (!sound) {
      return fail(ErrorKind::usage, "bad_tag",
                  "tag '" + tag + "' of step '" + step.step.name +
                      "' is empty, over 64 bytes or has spaces, commas or control characters");
    }
  }
  for (const std::string& needed : step.step.needs) {
    if (all.contains(needed) || std::ranges::find(known, needed) != known.end()) continue;
    return fail(ErrorKind::usage, "unknown_step",
                "step '" + step.step.name + "' needs '" + needed + "', which is not a step of the flow",
                "name one of its steps");
  }
  return {};
}

std::string way_through_gate(const Flow& flow, const view::FlowStepT& step) {
  const std::string words = flow.id + " '" + step.name + "'";
  if (step_is_over(step.state)) return "luzia flow reset " + words + " has people asked again";
  const std::string opens = "luzia flow approve " + words + " opens it";
  if (flow.state == view::FlowState::active) return opens;
  return "luzia flow reopen " + flow.id + " lets the flow go on, then " + opens;
}

}  // namespace

Status check_name(std::string_view name, std::string_view what) {
  if (!name.empty() && is_plain_line(name, kMaxFlowName)) return {};
  return fail(ErrorKind::usage, "bad_step",
              std::string(what) + " must be 1 to " + std::to_string(kMaxFlowName) +
                  " bytes of text without control characters",
              "choose a short name");
}

Status check_text(std::string_view text, std::string_view what) {
  if (text.size() <= kMaxFlowText) return {};
  return fail(ErrorKind::usage, "text_too_long",
              std::string(what) + " has " + std::to_string(text.size()) + " bytes, more than the " +
                  std::to_string(kMaxFlowText) + " that are kept",
              "shorten it; outputs and prompts may be larger");
}

Status check_step_count(std::size_t steps) {
  if (steps <= kMaxFlowSteps) return {};
  return fail(ErrorKind::usage, "too_many_steps",
              "a flow of " + std::to_string(steps) + " steps is more than the " +
                  std::to_string(kMaxFlowSteps) + " allowed",
              "split it into several flows");
}

Status check_steps(const std::vector<NewStep>& steps, const std::vector<std::string>& known) {
  LUZIA_TRY(check_step_count(steps.size() + known.size()));
  Needs needs;
  for (const NewStep& step : steps) {
    const bool again = std::ranges::find(known, step.step.name) != known.end();
    if (!again && needs.emplace(step.step.name, &step.step.needs).second) continue;
    return fail(ErrorKind::usage, "duplicate_step", "step '" + step.step.name + "' stands there twice",
                "give each step a name of its own");
  }
  for (const NewStep& step : steps) {
    LUZIA_TRY(check_step(step, needs, known));
  }
  return check_cycles(needs);
}

// ------------------------------------------------------------------------------------------- gates

bool step_is_over(schema::StepState state) {
  using schema::StepState;
  return state == StepState::completed || state == StepState::failed || state == StepState::skipped;
}

std::string step_place(const Flow& flow, const view::FlowStepT& step) {
  return "step '" + step.name + "' of flow " + flow.id;
}

Status passes_gate(const Flow& flow, const view::FlowStepT& step) {
  if (gate_is_open(step)) return {};
  const std::string gate = "gate '" + step.gate + "'";
  return fail(ErrorKind::refused, "gate_shut",
              step_is_over(step.state) ? gate + " of " + step_place(flow, step) + " is shut"
                                       : step_place(flow, step) + " waits at " + gate,
              way_through_gate(flow, step));
}

}  // namespace luzia
