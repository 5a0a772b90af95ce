#include "projections/rows/flow_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/shell_quote.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"

namespace luzia {
namespace {

using schema::StepState;

constexpr std::string_view kCut = "...";

/// At most `characters` code points; if text was cut, the last ones are dots.
std::string cut_to(std::string_view text, std::size_t characters) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++seen > characters) return std::string(text.substr(0, i)).append(kCut);
  }
  return std::string(text);
}

/// Steps in this state, in the order of their end.
std::vector<const view::FlowStepT*> steps_by_end(const Flow& flow, StepState state) {
  std::vector<const view::FlowStepT*> steps;
  for (const auto& step : flow.steps) {
    if (step->state == state) steps.push_back(step.get());
  }
  std::ranges::stable_sort(steps, {}, &view::FlowStepT::ended_us);
  return steps;
}

std::vector<const view::FlowStepT*> completed_steps(const Flow& flow) {
  return steps_by_end(flow, StepState::completed);
}

std::vector<const view::FlowStepT*> failed_steps(const Flow& flow) {
  return steps_by_end(flow, StepState::failed);
}

/// The last `count` completed steps and the last `count` failed ones, in the order of their end.
std::vector<const view::FlowStepT*> last_results(const Flow& flow, std::size_t count) {
  std::vector<const view::FlowStepT*> last;
  for (const auto& steps : {completed_steps(flow), failed_steps(flow)}) {
    const std::size_t left_out = steps.size() - std::min(steps.size(), count);
    last.insert(last.end(), steps.begin() + static_cast<std::ptrdiff_t>(left_out), steps.end());
  }
  std::ranges::stable_sort(last, {}, &view::FlowStepT::ended_us);
  return last;
}

std::string words_of_failure(const view::FlowStepT& step) {
  return "step " + step.name + " failed" + (step.error.empty() ? "" : ": " + step.error);
}

/// What the flow's jobs met, and the steps that failed.
std::vector<std::string> problems_of(const Flow& flow) {
  std::vector<std::string> problems = flow.issues;
  for (const auto* step : failed_steps(flow)) problems.push_back(words_of_failure(*step));
  return problems;
}

void write_errors(JsonObject& object, const Flow& flow) {
  object.objects("errors", failed_steps(flow), [](JsonObject& error, const view::FlowStepT* step) {
    error.text("step", step->name);
    error.text("error", step->error);
    error.text_or_null("job", step->job);
    error.time("ended_at", step->ended_us);
  });
}

/// What a person can do about a failed step: retry it, leave it out, or end the flow.
void suggest_after_failure(const Flow& flow, const view::FlowStepT& step, std::vector<Suggestion>& found) {
  const std::string place = flow.id + " " + shell_quote(step.name);
  const std::string reason = words_of_failure(step) + "; luzia flow ";
  found.push_back({"retry step " + step.name, reason + "reset " + place, step.name});
  if (flow.state != view::FlowState::active) return;
  found.push_back(
      {"skip step " + step.name, reason + "reset " + place + " && luzia flow skip " + place, step.name});
  found.push_back({"end the flow", reason + "end " + flow.id, step.name});
}

void write_names(JsonObject& object, std::string_view key, const std::vector<const view::FlowStepT*>& steps) {
  std::vector<std::string> names;
  for (const auto* step : steps) names.push_back(step->name);
  object.strings(key, names);
}

std::string bullet_list(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = fmt::format("### {}\n", title);
  for (const std::string& item : items) text += "- " + item + "\n";
  return text + "\n";
}

/// One line each, so that no item begins a heading.
std::vector<std::string> harmless_lines(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (const std::string& text : texts) lines.push_back(make_harmless(text));
  return lines;
}

/// Quotes the lines of an output: they are what was said, not headings or instructions of ours.
std::string quoted(const std::string& text) {
  std::string out = "> ";
  for (const char c : make_harmless(text, {.keep_newlines = true})) {
    out.push_back(c);
    if (c == '\n') out += "> ";
  }
  return out + "\n";
}

}  // namespace

const view::FlowStepT* last_completed_step(const Flow& flow) {
  const auto done = completed_steps(flow);
  return done.empty() ? nullptr : done.back();
}

std::string flow_context_json(const Flow& flow, const ContextLimits& limits) {
  JsonObject object;
  object.objects("previous_results", last_results(flow, limits.results),
                 [&](JsonObject& result, const view::FlowStepT* step) {
                   result.text("step", step->name);
                   result.text("state", step_state_name(step->state));
                   result.text("output", cut_to(step->output, limits.output_characters));
                   result.text_or_null("error", cut_to(step->error, limits.output_characters));
                   result.text_or_null("job", step->job);
                   result.time("ended_at", step->ended_us);
                 });
  object.begin("state");
  for (const auto& note : flow.notes) object.text(note->key, note->value);
  object.end();
  write_names(object, "completed_steps", completed_steps(flow));
  write_names(object, "next_steps", next_steps(flow));
  object.strings("issues", problems_of(flow));
  write_errors(object, flow);
  return object.take();
}

std::string flow_context_prompt(const Flow& flow, const ContextLimits& limits) {
  std::string body;
  for (const auto* step : last_results(flow, limits.results)) {
    if (step->state == StepState::failed) continue;  // below, among the problems
    body += fmt::format("### Result of step \"{}\"\n{}\n", step->name,
                        step->output.empty() ? std::string("(no output)\n")
                                             : quoted(cut_to(step->output, limits.output_characters)));
  }
  std::vector<std::string> notes, done, next;
  for (const auto& note : flow.notes) notes.push_back(make_harmless(note->key + ": " + note->value));
  for (const auto* step : completed_steps(flow)) done.push_back(step->name);
  for (const auto* step : next_steps(flow)) {
    next.push_back(make_harmless(step->name + (step->description.empty() ? "" : ": " + step->description)));
  }
  body += bullet_list("State", notes) + bullet_list("Steps completed", done);
  if (body.empty() && failed_steps(flow).empty()) return {};
  body += bullet_list("Steps to come", next) +
          bullet_list("Problems met so far", harmless_lines(problems_of(flow)));
  const std::string about = flow.description.empty() ? flow.id : flow.description;
  return fmt::format("## What was done before in \"{}\"\n\n{}", make_harmless(about), body);
}

std::vector<Suggestion> suggestions_for(const Flow& flow, const view::StepStatisticT* statistic) {
  std::vector<Suggestion> found;
  for (const auto* step : failed_steps(flow)) suggest_after_failure(flow, *step, found);
  for (const auto* step : next_steps(flow)) {
    const bool gated = step->gate_state == view::GateState::asked;
    const std::string about = step->description.empty() ? "" : ": " + step->description;
    found.push_back(
        {(gated ? "decide about gate " + step->gate + " of step " : "begin step ") + step->name + about,
         "what it needs is done", step->name});
  }
  for (auto each = flow.suggestions.rbegin(); each != flow.suggestions.rend(); ++each) {
    found.push_back({(*each)->text, (*each)->rule, (*each)->step});
  }
  if (statistic == nullptr) return found;
  std::vector<Suggestion> usual;
  for (const auto& next : statistic->next) {
    if (find_step(flow, next->step) != nullptr) continue;
    usual.push_back({"begin a step " + next->step,
                     fmt::format("followed {} of {} completed steps {}", next->count, statistic->completed,
                                 statistic->step),
                     next->step, next->count, statistic->completed});
  }
  std::ranges::stable_sort(usual, std::ranges::greater{}, &Suggestion::count);
  found.insert(found.end(), usual.begin(), usual.end());
  return found;
}

std::string suggestions_json(const Flow& flow, const std::vector<Suggestion>& suggestions) {
  JsonObject object;
  object.text("flow", flow.id);
  object.objects("suggestions", suggestions, [](JsonObject& object, const Suggestion& each) {
    object.text("text", each.text);
    object.text("rule", each.rule);
    object.text_or_null("step", each.step);
    object.number_or_null("count", each.count);
    object.number_or_null("of", each.of);
  });
  return object.take();
}

std::string suggestions_text(const Flow& flow, const std::vector<Suggestion>& suggestions) {
  if (suggestions.empty()) {
    return flow.state == view::FlowState::active ? "nothing is ready: steps are under way or wait\n"
                                                 : "nothing: the flow has ended\n";
  }
  std::string text;
  for (const Suggestion& each : suggestions) {
    text += fmt::format("{}\n    {}\n", make_harmless(each.text), make_harmless(each.rule));
  }
  return text;
}

}  // namespace luzia
