// What a flow passes on to its next step: the context, as an object for programs and as a section of a
// prompt; and suggestions what to do next, with reasons. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/flow/flow.h"

namespace luzia {

/// How much is passed on. Outputs are cut to this many characters, never inside one.
struct ContextLimits {
  std::size_t results = 3;
  std::size_t output_characters = 500;
};

/// {"previous_results","state","completed_steps","next_steps","issues","errors"}: the last completed and
/// failed steps with their outputs and errors, the flow's notes, the names of completed steps and of steps
/// that may begin, issues that its jobs met and steps that failed, and the errors of these.
std::string flow_context_json(const Flow& flow, const ContextLimits& limits = {});
/// The same in Markdown for an agent; empty if nothing in the flow is done or noted yet.
std::string flow_context_prompt(const Flow& flow, const ContextLimits& limits = {});

/// A suggested next step. `rule` names its source: a ready step, the flow's file, or what usually followed.
struct Suggestion {
  std::string text, rule, step;
  std::uint64_t count = 0, of = 0;  // from history: followed `count` of `of` times
};
/// First what to do about failed steps, then ready steps, then those of the flow's file, then those that
/// history suggests and this flow does not name. `statistic`: of the step completed last; may be null.
std::vector<Suggestion> suggestions_for(const Flow& flow, const view::StepStatisticT* statistic);
std::string suggestions_json(const Flow& flow, const std::vector<Suggestion>& suggestions);
std::string suggestions_text(const Flow& flow, const std::vector<Suggestion>& suggestions);

/// The step of the flow that was completed last; null: none.
const view::FlowStepT* last_completed_step(const Flow& flow);

}  // namespace luzia
