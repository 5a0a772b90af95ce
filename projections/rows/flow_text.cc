#include "projections/rows/flow_text.h"

#include <fmt/format.h>

#include "engine/base/counted.h"
#include "engine/event/take_fact.h"
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
  return fact_or(
      std::string("something about a flow that this program does not know"), flow,
      [&](const schema::FlowCreated& fact) { return created_text(fact); },
      [&](const schema::StepQueued& fact) {
        return fmt::format("{} dispatched as job {}", step(fact.step()), text(fact.job()));
      },
      [&](const schema::StepStarted& fact) { return started_text(fact); },
      [&](const schema::StepEnded& fact) {
        return with_note(fmt::format("{} {}", step(fact.step()), step_state_name(fact.state())),
                         fact.error());
      },
      [&](const schema::StepReset& fact) {
        return with_note(step(fact.step()) + " is to be done again", fact.note());
      },
      [&](const schema::StepDelayed& fact) { return delayed_text(fact); },
      [&](const schema::StepGateReached& fact) {
        return fmt::format("{} waits at gate {}", step(fact.step()), text(fact.gate()));
      },
      [&](const schema::StepGateDecided& fact) { return decided_text(fact); },
      [&](const schema::StepAdded& fact) {
        const auto* added = fact.step();
        return fmt::format("step {} added", added ? text(added->name()) : std::string_view("?"));
      },
      [&](const schema::FlowEnded& fact) { return ended_text(fact); },
      [&](const schema::FlowReopened& fact) { return with_note("flow goes on", fact.note()); },
      [&](const schema::FlowRemoved& fact) { return with_note("flow removed from lists", fact.note()); },
      [&](const schema::FlowPaused& fact) { return with_note("flow paused", fact.note()); },
      [&](const schema::FlowResumed& fact) { return with_note("flow resumed", fact.note()); },
      [&](const schema::FlowTagged& fact) { return tagged_text(fact); },
      [&](const schema::FlowNoted& fact) {
        return fmt::format("{} = {}", text(fact.key()), text(fact.value()));
      },
      [&](const schema::FollowUpSuggested& fact) {
        return fmt::format("to do next ({}): {}", text(fact.rule()), text(fact.text()));
      });
}

}  // namespace luzia
