#include "tests/scenarios/flow_commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace luzia {
namespace {

Blob words_blob(std::string content) {
  return {0, std::string(16, 's'), std::move(content)};
}

std::vector<std::string> cut(const std::string& words, char at) {
  std::vector<std::string> list;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, at);) list.push_back(word);
  return list;
}

void add_follow_up(CreateFlow& create, const std::string& after, const std::string& text) {
  auto& each = *create.flow.follow_ups.emplace_back(std::make_unique<schema::FollowUpT>());
  each.step = after;
  each.text = text;
}

NewStep step_of(const Step& step, const std::string& words) {
  NewStep made;
  const auto parts = cut(words, ':');
  made.step.name = parts.at(0);
  if (parts.size() > 1) made.step.needs = cut(parts[1], '+');
  made.step.gate = step.value("gate." + made.step.name);
  made.step.retries = static_cast<std::uint32_t>(step.number("retries." + made.step.name));
  const auto by_hand = cut(step.value("by_hand"), ',');
  if (std::ranges::find(by_hand, made.step.name) == by_hand.end())
    made.prompt = words_blob("do " + made.step.name);
  return made;
}

CreateFlow create(const Step& step) {
  CreateFlow order;
  order.id = step.word(3);
  order.flow.project = "p";
  order.flow.runs = std::ranges::find(step.words, "runs") != step.words.end();
  order.flow.keep_going = std::ranges::find(step.words, "keep_going") != step.words.end();
  order.flow.max_running = static_cast<std::uint32_t>(step.number("max"));
  for (const std::string& words : cut(step.value("steps"), ',')) {
    order.steps.push_back(step_of(step, words));
    const std::string after = step.value("after." + order.steps.back().step.name);
    if (!after.empty()) add_follow_up(order, order.steps.back().step.name, after);
  }
  if (step.values.contains("afterwards")) add_follow_up(order, "", step.value("afterwards"));
  return order;
}

EndStep end(const Step& step, schema::StepState state) {
  EndStep order{step.word(4), state};
  if (step.values.contains("output")) order.output = words_blob(step.value("output"));
  order.error = step.value("error");
  order.job = step.value("job");
  return order;
}

std::string word_of(const view::FlowStepT& step) {
  if (step.queued) return "queued";
  const bool at_gate = step.state == schema::StepState::pending && step.gate_state == view::GateState::asked;
  return at_gate ? "asked" : schema::EnumNameStepState(step.state);
}

std::string joined(const std::vector<std::string>& list) {
  std::string all;
  for (const std::string& each : list) all += (all.empty() ? "" : ",") + each;
  return all;
}

}  // namespace

std::optional<FlowCommand> flow_command(const Step& step) {
  const std::string& verb = step.word(2);
  const std::string& name = step.word(4);
  const std::string note = step.value("note");
  if (verb == "new_flow") return create(step);
  if (verb == "start_step") return StartStep{name, step.value("job")};
  if (verb == "complete_step") return end(step, schema::StepState::completed);
  if (verb == "fail_step") return end(step, schema::StepState::failed);
  if (verb == "skip_step") return end(step, schema::StepState::skipped);
  if (verb == "reset_step") return ResetStep{name, note};
  if (verb == "add_step")
    return AddStep{step_of(step, name + (step.value("needs").empty() ? "" : ":" + step.value("needs")))};
  if (verb == "open_gate") return DecideStepGate{name, true, note};
  if (verb == "deny_gate") return DecideStepGate{name, false, note};
  if (verb == "pause_flow") return PauseFlow{note};
  if (verb == "resume_flow") return ResumeFlow{note};
  if (verb == "end_flow") return EndFlow{note};
  if (verb == "reopen_flow") return ReopenFlow{note};
  if (verb == "remove_flow") return RemoveFlow{note};
  if (verb == "tag_flow") return TagFlow{cut(step.value("add"), ','), cut(step.value("remove"), ',')};
  if (verb == "note_flow") return NoteFlow{step.value("key"), step.value("value")};
  return std::nullopt;
}

void expect_flow(const Step& step, World& world) {
  MemoryHistory history(world.log());
  const auto stored = history.load_flow(step.word(1));
  ASSERT_TRUE(stored && *stored) << "no flow " << step.word(1);
  const Flow* live = world.engine().flows().find(step.word(1));
  const Flow& flow = live != nullptr ? *live : **stored;
  EXPECT_STREQ(view::EnumNameFlowState(flow.state), step.word(2).c_str());
  for (const auto& [key, value] : step.values) {
    if (key == "tags") {
      EXPECT_EQ(joined(flow.tags), value);
    } else if (key == "removed") {
      EXPECT_EQ(flow.removed_us != 0, value == "true");
    } else if (key == "ended") {
      EXPECT_EQ(format_duration(flow.ended_us), value);
    } else if (key.starts_with("took.") && find_step(flow, key.substr(5)) != nullptr) {
      const view::FlowStepT& timed = *find_step(flow, key.substr(5));
      EXPECT_EQ(format_duration(timed.ended_us - timed.started_us), value);
    } else if (key == "suggestions") {
      EXPECT_EQ(flow.suggestions.size(), step.number(key));
    } else if (key.starts_with("jobs.") && find_step(flow, key.substr(5)) != nullptr) {
      EXPECT_EQ(joined(find_step(flow, key.substr(5))->jobs), value);
    } else if (key.starts_with("failed.") && find_step(flow, key.substr(7)) != nullptr) {
      const view::FlowStepT& failed = *find_step(flow, key.substr(7));
      EXPECT_EQ(std::to_string(failed.failed_try) + ":" + failed.failed_error, value);
    } else if (key.starts_with("note.")) {
      const auto it =
          std::ranges::find_if(flow.notes, [&](const auto& note) { return "note." + note->key == key; });
      EXPECT_EQ(it == flow.notes.end() ? "" : (*it)->value, value) << key;
    } else {
      const view::FlowStepT* named = find_step(flow, key);
      ASSERT_NE(named, nullptr) << "no step " << key;
      EXPECT_EQ(word_of(*named), value) << key;
    }
  }
  // The engine's state must equal the fold of the log.
  if (live != nullptr) {
    EXPECT_EQ((*stored)->version, live->version);
  }
}

}  // namespace luzia
