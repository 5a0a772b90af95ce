// What a flow hands on to the step to come: the continuation context, as an object for programs and as a
// section of a prompt; and what to do next, with the reason. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/flow/flow.h"

namespace luzia {

/// How much is handed on. Outputs are cut to so many characters, never within one.
struct ContextLimits {
  std::size_t results = 3;
  std::size_t output_characters = 500;
};

/// {"previous_results","state","completed_steps","next_steps","issues"}: the last completed steps with their
/// outputs, the flow's notes, names of steps that are over and of those that may begin, problems that its
/// jobs met.
std::string flow_context_json(const Flow& flow, const ContextLimits& limits = {});
/// The same for an agent to read (Markdown); empty for a flow of which nothing is done or noted yet.
std::string flow_context_prompt(const Flow& flow, const ContextLimits& limits = {});

/// A thing to do. `rule` says where it comes from: what is ready, the flow's file, or what usually followed.
struct Suggestion {
  std::string text, rule, step;
  std::uint64_t count = 0, of = 0;  // of history: followed so often, of so many times
};
/// What is ready first, then what the file says, then what history says of steps that this flow does not
/// name. `statistic`: of the step completed last, where there is one.
std::vector<Suggestion> suggestions_for(const Flow& flow, const view::StepStatisticT* statistic);
std::string suggestions_json(const Flow& flow, const std::vector<Suggestion>& suggestions);
std::string suggestions_text(const Flow& flow, const std::vector<Suggestion>& suggestions);

/// The step of the flow that was completed last; null: none was.
const view::FlowStepT* last_completed_step(const Flow& flow);

}  // namespace luzia
