#include "projections/rows/manual_steps.h"

#include <algorithm>

#include "engine/base/shell_quote.h"
#include "projections/rows/json_object.h"

namespace luzia {
namespace {

TimeUs ready_since(const Flow& flow, const view::FlowStepT& step) {
  TimeUs last = flow.created_us;
  for (const std::string& name : step.needs) {
    const view::FlowStepT* needed = find_step(flow, name);
    if (needed != nullptr) last = std::max(last, needed->ended_us);
  }
  return last;
}

}  // namespace

std::vector<ManualStep> shown_manual_steps(const Flow& flow) {
  std::vector<ManualStep> shown;
  for (const view::FlowStepT* step : manual_steps(flow)) {
    shown.push_back({flow.id, flow.project, step->name, step->description, ready_since(flow, *step)});
  }
  return shown;
}

std::vector<ManualStep> manual_steps_of(const std::vector<const view::Flow*>& flows) {
  std::vector<ManualStep> all;
  for (const view::Flow* row : flows) {
    Flow flow;
    row->UnPackTo(&flow);
    for (ManualStep& step : shown_manual_steps(flow)) all.push_back(std::move(step));
  }
  return all;
}

std::string name_of(const ManualStep& step) {
  return step.flow + "/" + step.step;
}

std::string manual_step_text(const ManualStep& step) {
  return "do " + step.step + (step.description.empty() ? "" : ": " + step.description);
}

std::string complete_command(const ManualStep& step) {
  return "luzia flow complete " + step.flow + " " + shell_quote(step.step);
}

std::string manual_step_json(const ManualStep& step) {
  JsonObject object;
  object.text("flow", step.flow);
  object.text("project", step.project);
  object.text("step", step.step);
  object.text_or_null("description", step.description);
  object.time("since_at", "since_us", step.since_us);
  return object.take();
}

}  // namespace luzia
