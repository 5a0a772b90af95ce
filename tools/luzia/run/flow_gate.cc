#include "tools/luzia/run/flow_gate.h"

#include <algorithm>

#include "engine/base/try.h"
#include "projections/rows/flow_rows.h"
#include "tools/luzia/person.h"
#include "tools/luzia/run/flows.h"

namespace luzia {
namespace {

Result<std::string> gated_step(const Flow& flow, const std::string& name) {
  std::vector<std::string> steps, gates;
  for (const auto& step : flow.steps) {
    if (step->name == name && !step->gate.empty()) return name;
    if (waits_at_gate(*step)) {
      steps.push_back(step->name);
      gates.push_back(step->gate);
    }
  }
  if (name.empty() && steps.size() == 1) return steps.front();
  for (const auto* names : {&gates, &steps}) {
    const auto begins = [&](const std::string& full) { return !name.empty() && full.starts_with(name); };
    const auto exact = std::ranges::find(*names, name);
    const auto found = exact != names->end() ? exact : std::ranges::find_if(*names, begins);
    const bool alone = exact != names->end() || std::ranges::count_if(*names, begins) == 1;
    if (found != names->end() && alone) return steps[static_cast<std::size_t>(found - names->begin())];
  }
  if (steps.empty()) {
    return fail(ErrorKind::not_found, "no_such_approval",
                "flow " + flow.id + " waits at no gate" + (name.empty() ? "" : " '" + name + "'"),
                "luzia approvals lists open gates");
  }
  std::string open;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    open += (open.empty() ? "" : ", ") + steps[i] + " (" + gates[i] + ")";
  }
  return fail(ErrorKind::usage, "which_approval", "flow " + flow.id + " waits at gates of: " + open,
              "give the one you mean");
}

}  // namespace

Result<wire::ActOnFlowT> gate_command(Invocation& invocation, Client& client,
                                      const std::vector<std::string>& words, bool approve) {
  const auto both = split_flow_step(words[0]);
  const auto flow = LUZIA_TRY(ask_flow(invocation, client, both ? both->first : words[0]));
  auto step = LUZIA_TRY(gated_step(flow, both ? both->second : words.size() > 1 ? words[1] : std::string()));
  wire::ActOnFlowT request;
  request.action = approve ? wire::FlowAction::open_gate : wire::FlowAction::deny_gate;
  request.flow = flow.id;
  request.step = std::move(step);
  request.text = invocation.args().text("note");
  request.from_job = own_job().job;
  return request;
}

std::string gate_command_done(const wire::ActOnFlowT& command) {
  return "step " + command.step +
         (command.action == wire::FlowAction::open_gate ? " may begin" : " is denied");
}

}  // namespace luzia
