#include "projections/rows/flow_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/joined_names.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"
#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

using schema::StepState;

bool is_done(const view::FlowStepT& step) {
  return step.state == StepState::completed || step.state == StepState::skipped;
}

void write_step(JsonObject& object, const view::FlowStepT& step) {
  object.text("name", step.name);
  object.text("state", step_state_name(step.state));
  object.boolean("queued", step.queued);
  object.text_or_null("job", step.job);
  object.text_or_null("output", step.output);
  if (step.output_text && is_unreadable(step.output, step.output_text->size))
    object.text("output_error", kTextUnreadable);
  object.text_or_null("error", step.error);
  object.time("started_at", step.started_us);
  object.time("ended_at", step.ended_us);
  object.strings("needs", step.needs);
  object.text_or_null("agent", step.agent);
  object.text_or_null("gate", step.gate);
  object.text_or_null("gate_state",
                      step.gate.empty() ? "" : known_name(view::EnumNameGateState(step.gate_state)));
  object.number("retries", step.retries);
  object.number("tries", step.tries);
  object.strings("jobs", step.jobs);
  object.number_or_null("failed_try", step.failed_try);
  object.text_or_null("failed_error", step.failed_error);
  object.text_or_null("description", step.description);
  object.boolean("by_job", step.has_prompt);
  object.time("not_before", step.not_before_us);
}

Colour colour_of_flow(view::FlowState state) {
  if (state == view::FlowState::failed) return Colour::red;
  return state == view::FlowState::completed ? Colour::green : Colour::none;
}

std::string_view step_mark(const view::FlowStepT& step, bool unicode) {
  switch (step.state) {
    case StepState::completed:
      return unicode ? "✔" : "+";
    case StepState::failed:
      return unicode ? "✘" : "x";
    case StepState::skipped:
      return unicode ? "↷" : "-";
    case StepState::in_progress:
      return unicode ? "▶" : ">";
    case StepState::pending:
      break;
  }
  return unicode ? "·" : ".";
}

Colour colour_of_step(StepState state) {
  if (state == StepState::completed) return Colour::green;
  if (state == StepState::failed) return Colour::red;
  return state == StepState::in_progress ? Colour::cyan : Colour::dim;
}

/// The last line that is not empty: it is usually the result.
std::string_view last_words(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(kWhitespace) + 1);
  return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0, the beginning
}

/// The result of the step, or of the try before.
std::string words_of_step(const view::FlowStepT& step) {
  if (!step.error.empty()) return step.error;
  if (is_done(step) || step.failed_try == 0) return std::string(last_words(step.output));
  return fmt::format("(try {} of {} failed: {})", step.failed_try, step.retries + 1, step.failed_error);
}

Table steps_table(const Flow& flow, TimeUs now, const TableStyle& style) {
  Table table({{"", Align::left, 1},
               {"STEP", Align::left, 10, true},
               {"STATE", Align::left, 9},
               {"TIME", Align::right, 5, false, 2},
               {"JOB", Align::left, 13, false, 3},
               {"NEEDS", Align::left, 8, true, 1},
               {"OUTPUT", Align::left, 10, true}});
  for (const auto& step : flow.steps) {
    const TimeUs end = step->ended_us != 0 ? step->ended_us : now;
    const bool timed = step->started_us != 0 && end >= step->started_us;
    table.add({{std::string(step_mark(*step, style.unicode)), colour_of_step(step->state)},
               {step->name},
               {step_state_text(*step), colour_of_step(step->state)},
               {timed ? format_duration(end - step->started_us) : std::string()},
               {step->job},
               {joined_names(step->needs)},
               {words_of_step(*step)}});
  }
  return table;
}

}  // namespace

std::string_view step_state_name(StepState state) {
  return known_name(schema::EnumNameStepState(state));
}

std::string step_state_text(const view::FlowStepT& step) {
  if (step.queued) return "queued";
  if (step.state == StepState::pending && step.not_before_us != 0) {
    return "again " + second_time(step.not_before_us).substr(11);
  }
  if (waits_at_gate(step)) return "at gate " + step.gate;
  return std::string(step_state_name(step.state));
}

bool waits_at_gate(const view::FlowStepT& step) {
  return step.state == StepState::pending && step.gate_state == view::GateState::asked;
}

std::string_view flow_state_name(view::FlowState state) {
  return known_name(view::EnumNameFlowState(state));
}

std::vector<const view::FlowStepT*> next_steps(const Flow& flow) {
  std::vector<const view::FlowStepT*> next;
  if (flow.state != view::FlowState::active) return next;
  for (const auto& step : flow.steps) {
    const bool waits = step->state == StepState::pending && !step->queued;
    if (waits && needs_are_met(flow, *step)) next.push_back(step.get());
  }
  return next;
}

std::size_t steps_done(const Flow& flow) {
  return static_cast<std::size_t>(
      std::ranges::count_if(flow.steps, [](const auto& s) { return is_done(*s); }));
}

std::string flow_result(const Flow& flow) {
  if (!flow.result.empty() || flow.state != view::FlowState::completed) return flow.result;
  const view::FlowStepT* last = nullptr;
  for (const auto& step : flow.steps) {
    const bool counts = step->state == StepState::completed && !step->output.empty();
    if (counts && (last == nullptr || step->ended_us >= last->ended_us)) last = step.get();
  }
  return last == nullptr ? std::string() : last->output;
}

std::string flow_json(const Flow& flow) {
  JsonObject object;
  object.text("id", flow.id);
  object.text("project", flow.project);
  object.text("description", flow.description);
  object.text("state", flow_state_name(flow.state));
  object.objects("steps", flow.steps,
                 [](JsonObject& object, const auto& step) { write_step(object, *step); });
  object.strings("tags", flow.tags);
  object.time("created_at", flow.created_us);
  object.time("updated_at", flow.updated_us);
  object.time("ended_at", flow.ended_us);
  object.time("removed_at", flow.removed_us);
  object.text_or_null("result", flow_result(flow));
  object.number("steps_done", steps_done(flow));
  object.number("steps_total", flow.steps.size());
  object.begin("notes");
  for (const auto& note : flow.notes) object.text(note->key, note->value);
  object.end();
  object.objects("suggestions", flow.suggestions, [](JsonObject& object, const auto& each) {
    object.text("text", each->text);
    object.text("rule", each->rule);
    object.text_or_null("step", each->step);
  });
  object.boolean("runs", flow.runs);
  object.boolean("paused", flow.paused);
  object.boolean("keep_going", flow.keep_going);
  object.number("max_running", flow.max_running);
  object.text_or_null("user", flow.user);
  object.text_or_null("source", flow.source);
  object.strings("issues", flow.issues);
  object.number("position", flow.position);
  return object.take();
}

std::string flow_json(const view::Flow& flow) {
  Flow native;
  flow.UnPackTo(&native);
  return flow_json(native);
}

Table flows_table(const std::vector<Flow>& flows, TimeUs now) {
  Table table({{"FLOW", Align::left, 15},
               {"STATE", Align::left, 9},
               {"STEPS", Align::right, 5},
               {"AGE", Align::right, 4, false, 2},
               {"PROJECT", Align::left, 6, true, 1},
               {"NEXT", Align::left, 8, true},
               {"DESCRIPTION", Align::left, 10, true}});
  for (const Flow& flow : flows) {
    std::vector<std::string> next;
    for (const auto& step : flow.steps) {
      if (step->state == StepState::in_progress || step->queued) next.push_back(step->name);
    }
    if (next.empty()) {
      for (const auto* step : next_steps(flow)) next.push_back(step->name);
    }
    const std::string state = flow.paused && flow.state == view::FlowState::active
                                  ? "paused"
                                  : std::string(flow_state_name(flow.state));
    table.add({{flow.id},
               {state, colour_of_flow(flow.state)},
               {fmt::format("{}/{}", steps_done(flow), flow.steps.size())},
               {format_duration(std::max<TimeUs>(0, now - flow.created_us))},
               {flow.project},
               {joined_names(next)},
               {flow.description}});
  }
  return table;
}

std::string flow_card(const Flow& flow, TimeUs now, const TableStyle& style) {
  std::string card;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    card += fmt::format("{:<12}{}\n", name, make_harmless(value, {.unicode = style.unicode}));
  };
  line("flow", flow.id);
  line("state", std::string(flow_state_name(flow.state)) + (flow.paused ? " (paused)" : ""));
  line("project", flow.project);
  line("about", flow.description);
  line("result", std::string(last_words(flow_result(flow))));
  line("tags", joined_names(flow.tags));
  line("created", second_time(flow.created_us) + (flow.user.empty() ? "" : " by " + flow.user));
  line("ended", second_time(flow.ended_us));
  line("removed", second_time(flow.removed_us));
  line("from", flow.source);
  line("runs", flow.runs ? "by itself" : "");
  line("steps", fmt::format("{} of {} done", steps_done(flow), flow.steps.size()));
  for (const auto& note : flow.notes) line("note", note->key + " = " + note->value);
  if (!flow.steps.empty()) card += "\n" + steps_table(flow, now, style).text(style);
  return card;
}

}  // namespace luzia
