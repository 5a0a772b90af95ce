#include "projections/rows/flow_text.h"

#include <fmt/format.h>

#include "engine/base/counted.h"
#include "projections/rows/agent_text.h"
#include "projections/rows/flow_rows.h"

namespace luzia {
namespace {

std::string step(const flatbuffers::String* name) {
  return fmt::format("step {}", text(name));
}

std::string created_text(const schema::FlowCreated& fact) {
  return with_note(fmt::format("flow created for {} with {}", text(fact.project()),
                               counted(fact.steps() ? fact.steps()->size() : 0, "step")),
                   fact.description());
}

std::string tagged_text(const schema::FlowTagged& fact) {
  std::string sentence = "tags";
  if (fact.added()) {
    for (const auto* tag : *fact.added()) sentence += fmt::format(" +{}", tag->string_view());
  }
  if (fact.removed()) {
    for (const auto* tag : *fact.removed()) sentence += fmt::format(" -{}", tag->string_view());
  }
  return sentence;
}

std::string started_text(const schema::StepStarted& fact) {
  if (text(fact.job()).empty()) return step(fact.step()) + " started";
  return fmt::format("{} started, done by job {}", step(fact.step()), text(fact.job()));
}

std::string delayed_text(const schema::StepDelayed& fact) {
  const std::string failed =
      text(fact.error()).empty() ? std::string() : fmt::format(" failed ({}) and", text(fact.error()));
  return fmt::format("{}{} is tried again from {} on", step(fact.step()), failed,
                     format_rfc3339(fact.not_before_us()));
}

std::string ended_text(const schema::FlowEnded& fact) {
  const bool cancelled = fact.state() == schema::StepState::skipped;
  const std::string_view how = cancelled ? "cancelled" : step_state_name(fact.state());
  return with_note(fmt::format("flow {}", how), fact.result());
}

std::string decided_text(const schema::StepGateDecided& fact) {
  const bool opened = fact.decision() == schema::Decision::approved;
  return with_note(
      fmt::format("gate {} of {} {}", text(fact.gate()), step(fact.step()), opened ? "opened" : "denied"),
      fact.note());
}

}  // namespace

std::string flow_text(const schema::FlowEvent& flow) {
  using schema::FlowFact;
  switch (flow.fact_type()) {
    case FlowFact::FlowCreated:
      return created_text(*flow.fact_as_FlowCreated());
    case FlowFact::StepQueued:
      return fmt::format("{} dispatched as job {}", step(flow.fact_as_StepQueued()->step()),
                         text(flow.fact_as_StepQueued()->job()));
    case FlowFact::StepStarted:
      return started_text(*flow.fact_as_StepStarted());
    case FlowFact::StepEnded: {
      const auto& fact = *flow.fact_as_StepEnded();
      return with_note(fmt::format("{} {}", step(fact.step()), step_state_name(fact.state())), fact.error());
    }
    case FlowFact::StepReset:
      return with_note(step(flow.fact_as_StepReset()->step()) + " is to be done again",
                       flow.fact_as_StepReset()->note());
    case FlowFact::StepDelayed:
      return delayed_text(*flow.fact_as_StepDelayed());
    case FlowFact::StepGateReached:
      return fmt::format("{} waits at gate {}", step(flow.fact_as_StepGateReached()->step()),
                         text(flow.fact_as_StepGateReached()->gate()));
    case FlowFact::StepGateDecided:
      return decided_text(*flow.fact_as_StepGateDecided());
    case FlowFact::StepAdded: {
      const auto* added = flow.fact_as_StepAdded()->step();
      return fmt::format("step {} added", added ? text(added->name()) : std::string_view("?"));
    }
    case FlowFact::FlowEnded:
      return ended_text(*flow.fact_as_FlowEnded());
    case FlowFact::FlowReopened:
      return with_note("flow goes on", flow.fact_as_FlowReopened()->note());
    case FlowFact::FlowRemoved:
      return with_note("flow removed from lists", flow.fact_as_FlowRemoved()->note());
    case FlowFact::FlowPaused:
      return with_note("flow paused", flow.fact_as_FlowPaused()->note());
    case FlowFact::FlowResumed:
      return with_note("flow resumed", flow.fact_as_FlowResumed()->note());
    case FlowFact::FlowTagged:
      return tagged_text(*flow.fact_as_FlowTagged());
    case FlowFact::FlowNoted:
      return fmt::format("{} = {}", text(flow.fact_as_FlowNoted()->key()),
                         text(flow.fact_as_FlowNoted()->value()));
    case FlowFact::FollowUpSuggested:
      return fmt::format("to do next ({}): {}", text(flow.fact_as_FollowUpSuggested()->rule()),
                         text(flow.fact_as_FollowUpSuggested()->text()));
    case FlowFact::NONE:
      break;
  }
  return "something about a flow that this program does not know";
}

}  // namespace luzia
