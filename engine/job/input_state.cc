#include "engine/job/input_state.h"

#include <algorithm>

#include "engine/event/take_fact.h"
#include "engine/job/input_events.h"
#include "engine/job/job_budget.h"

namespace luzia {
namespace {

using view::InputEnd;
using view::InputKind;

constexpr std::size_t kMostDecided = 16;
/// Answered questions from files stay until the attempt ends: exit code 100 may still ask for their answers.
constexpr std::size_t kMostInputs = 2 * kMaxOpenInputs;

view::InputRequestT* find(const JobState& state, std::string_view id) {
  for (const auto& input : state.inputs) {
    if (input->id == id) return input.get();
  }
  return nullptr;
}

template <class Vector>
void remember_rule(Vector& rules, const std::string& rule) {
  constexpr std::size_t kMostRules = 64;
  if (rule.empty() || std::ranges::find(rules, rule) != rules.end() || rules.size() >= kMostRules) return;
  rules.push_back(rule);
}

void note_decided(JobState& state, const view::InputRequestT& input, InputEnd end, std::string by,
                  TimeUs at) {
  auto decided = std::make_unique<view::DecidedInputT>();
  decided->id = input.id;
  decided->kind = input.kind;
  decided->end = end;
  decided->decision = input.decision;
  decided->by = std::move(by);
  decided->at_us = at;
  state.decided.push_back(std::move(decided));
  if (state.decided.size() > kMostDecided) state.decided.erase(state.decided.begin());
}

void drop(JobState& state, std::string_view id) {
  std::erase_if(state.inputs, [id](const auto& input) { return input->id == id; });
}

void prune(JobState& state) {
  std::erase_if(state.inputs, [](const auto& input) { return input->delivered && input->source != "file"; });
  while (state.inputs.size() > kMostInputs) {
    const auto old = std::ranges::find_if(state.inputs, [](const auto& input) { return !is_open(*input); });
    if (old == state.inputs.end()) return;
    state.inputs.erase(old);
  }
}

std::string who(const schema::Event& event, std::string_view rule) {
  if (!rule.empty()) return std::string(rule);
  std::string name = actor_name(event);
  return name.empty() ? std::string("the daemon") : name;
}

template <class Fact>
view::InputRequestT& open_input(JobState& state, const Fact& fact, std::string_view id, InputKind kind,
                                const schema::Event& event) {
  auto& input = *state.inputs.emplace_back(std::make_unique<view::InputRequestT>());
  input.id = id;
  input.kind = kind;
  input.attempt = fact.attempt();
  input.source = text(fact.source());
  input.position = event.position();
  input.asked_us = event.time_us();
  input.deadline_us = fact.deadline_us();
  input.answer_by_us = fact.answer_by_us();
  if (fact.remind_us() != nullptr) input.remind_us.assign(fact.remind_us()->begin(), fact.remind_us()->end());
  if (fact.file_hash() != nullptr) input.file_hash.assign(fact.file_hash()->begin(), fact.file_hash()->end());
  return input;
}

void answered(JobState& state, std::string_view id, const schema::Event& event, InputEnd end,
              std::string_view rule) {
  view::InputRequestT* input = find(state, id);
  if (input == nullptr) return;
  input->answered = true;
  input->answer_position = event.position();
  note_decided(state, *input, end, who(event, rule), event.time_us());
  if (input->source == kMonitorSource) return drop(state, id);  // its answer goes to no agent
  prune(state);
}

void over(JobState& state, std::string_view id, const schema::Event& event, InputEnd end) {
  const view::InputRequestT* input = find(state, id);
  if (input == nullptr) return;
  note_decided(state, *input, end, who(event, ""), event.time_us());
  drop(state, id);
}

void delivered(JobState& state, std::string_view id, std::string_view channel) {
  if (view::InputRequestT* input = find(state, id)) input->delivered = true;
  std::erase(state.answers, id);
  const view::InputRequestT* input = find(state, id);
  // The next attempt finds the file that asked and its answer, and must not ask it again.
  if (channel == "resume" && input != nullptr && !input->carried) drop(state, id);
  prune(state);
}

void reminded(JobState& state, std::string_view id, std::uint32_t count, std::string_view channel,
              TimeUs now) {
  view::InputRequestT* input = find(state, id);
  if (input == nullptr) return;
  input->reminded = count;
  if (!channel.empty()) return;  // reminds one more channel: the moments of common reminders stay
  std::erase_if(input->remind_us, [now](TimeUs moment) { return moment <= now; });
}

void decide_input(JobState& state, const schema::ApprovalDecided& fact, const schema::Event& event) {
  view::InputRequestT* input = find(state, text(fact.approval()));
  if (input == nullptr) return;
  input->decision = fact.decision();
  if (fact.remember()) {
    remember_rule(fact.decision() == schema::Decision::approved ? state.allowed : state.refused, input->rule);
  }
  const bool expired = fact.decision() == schema::Decision::expired;
  answered(state, text(fact.approval()), event, expired ? InputEnd::timed_out : InputEnd::answered,
           text(fact.policy()));
}

}  // namespace

bool is_open(const view::InputRequestT& input) {
  return !input.answered;
}

const view::InputRequestT* find_input(const JobState& state, std::string_view id) {
  return find(state, id);
}

bool is_waited_for(const JobState& state, const view::InputRequestT& input) {
  if (input.source == kMonitorSource) return false;
  return !input.unattended || state.attempt_over;
}

bool is_dropped(const JobState& state, const view::InputRequestT& input) {
  if (state.outcome != schema::AgentOutcome::deferred || state.deferred_call.empty()) return false;
  return input.kind == InputKind::approval && input.source == "hook" && !input.call_id.empty() &&
         input.call_id != state.deferred_call;
}

std::uint32_t count_open(const JobState& state) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      state.inputs, [&](const auto& input) { return is_open(*input) && is_waited_for(state, *input); }));
}

std::uint32_t count_asked(const JobState& state) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      state.inputs, [](const auto& input) { return is_open(*input) && input->source != kMonitorSource; }));
}

TimeUs next_moment(const view::InputRequestT& input) {
  if (!is_open(input)) return 0;
  TimeUs earliest = earlier_moment(input.deadline_us, input.auto_after_us);
  for (const TimeUs moment : input.remind_us) earliest = earlier_moment(earliest, moment);
  return earliest;
}

TimeUs next_input_moment(const JobState& state) {
  TimeUs earliest = 0;
  for (const auto& input : state.inputs) earliest = earlier_moment(earliest, next_moment(*input));
  return earliest;
}

bool stands_still(const JobState& state) {
  return state.paused && state.pid != 0 && !state.attempt_over && !state.stop_requested;
}

std::uint64_t idle_us(const JobState& state, TimeUs now) {
  const TimeUs since = std::max(state.waiting_since_us, state.paused_since_us);  // at most one of them is set
  const TimeUs present = since == 0 ? 0 : std::max<TimeUs>(0, now - since);
  return state.human_wait_us + state.paused_us + static_cast<std::uint64_t>(present);
}

TimeUs work_counts_from(const JobState& state) {
  return state.started_us + static_cast<TimeUs>(state.human_wait_us) + static_cast<TimeUs>(state.paused_us);
}

std::uint64_t worked_us(const JobState& state, std::uint64_t wall_us, TimeUs now) {
  return wall_us - std::min(wall_us, idle_us(state, now));
}

void evolve_question(JobState& state, const schema::QuestionEvent& question, const schema::Event& event) {
  take_fact(
      question,
      [&](const schema::QuestionAsked& fact) {
        auto& input = open_input(state, fact, text(fact.question()), InputKind::question, event);
        input.type = fact.type();
        input.default_answer = text(fact.default_answer());
        input.free_text = fact.free_text();
        input.unattended = fact.unattended();
        input.ends_attempt = fact.ends_attempt();
        if (fact.options() == nullptr) return;
        for (const auto* option : *fact.options()) input.options.push_back(option->str());
      },
      [&](const schema::QuestionAnswered& fact) {
        answered(state, text(fact.question()), event, InputEnd::answered,
                 fact.by_default() ? "the default" : "");
      },
      [&](const schema::QuestionTimedOut& fact) {
        over(state, text(fact.question()), event, InputEnd::timed_out);
      },
      [&](const schema::QuestionCancelled& fact) {
        over(state, text(fact.question()), event, InputEnd::cancelled);
      },
      [&](const schema::AnswerDelivered& fact) {
        delivered(state, text(fact.question()), text(fact.channel()));
      },
      [&](const schema::QuestionReminded& fact) {
        reminded(state, text(fact.question()), fact.count(), text(fact.channel()), event.time_us());
      });
}

void evolve_approval(JobState& state, const schema::ApprovalEvent& approval, const schema::Event& event) {
  take_fact(
      approval,
      [&](const schema::ApprovalRequested& fact) {
        auto& input = open_input(state, fact, text(fact.approval()), InputKind::approval, event);
        input.gate = text(fact.gate());
        input.rule = text(fact.rule());
        input.call_id = text(fact.call_id());
        input.auto_after_us = fact.auto_after_us();
      },
      [&](const schema::ApprovalDecided& fact) { decide_input(state, fact, event); },
      [&](const schema::ApprovalCancelled& fact) {
        over(state, text(fact.approval()), event, InputEnd::cancelled);
      },
      [&](const schema::DecisionDelivered& fact) {
        delivered(state, text(fact.approval()), text(fact.channel()));
      },
      [&](const schema::ApprovalReminded& fact) {
        reminded(state, text(fact.approval()), fact.count(), text(fact.channel()), event.time_us());
      });
}

void begin_wait(JobState& state, std::uint32_t open, TimeUs now) {
  state.open_requests = open;
  if (state.waiting_since_us == 0) state.waiting_since_us = now;
  if (state.state == schema::JobState::running) state.state = schema::JobState::waiting;
}

void end_wait(JobState& state, std::uint32_t open, TimeUs now) {
  state.open_requests = open;
  if (open > 0) return;
  const TimeUs waited = state.waiting_since_us == 0 ? 0 : std::max<TimeUs>(0, now - state.waiting_since_us);
  state.waiting_since_us = 0;
  state.human_wait_us += static_cast<std::uint64_t>(waited);
  if (state.timeout_at_us != 0) state.timeout_at_us += waited;
  state.went_on_us = now;
  // Without a process, the job continues as a new attempt.
  if (state.state == schema::JobState::waiting && !state.attempt_over) {
    state.state = schema::JobState::running;
  }
}

void follow_pause(JobState& state, TimeUs now) {
  const bool counts = stands_still(state) && state.waiting_since_us == 0;
  if (counts == (state.paused_since_us != 0)) return;
  if (counts) {
    state.paused_since_us = now;
    return;
  }
  const TimeUs paused = std::max<TimeUs>(0, now - state.paused_since_us);
  state.paused_since_us = 0;
  state.paused_us += static_cast<std::uint64_t>(paused);
  if (state.timeout_at_us != 0) state.timeout_at_us += paused;
  state.went_on_us = now;
}

void forget_inputs(JobState& state) {
  std::erase_if(state.inputs, [&state](const auto& input) {
    return std::ranges::find(state.answers, input->id) == state.answers.end();
  });
}

void hand_on_inputs(JobState& state) {
  for (const auto& input : state.inputs) input->carried = input->source == "file";
}

void shift_input_moments(JobState& state, TimeUs by) {
  const auto shift = [by](TimeUs& moment) {
    if (moment != 0) moment = std::max<TimeUs>(1, moment + by);
  };
  shift(state.waiting_since_us);
  for (const auto& input : state.inputs) {
    shift(input->asked_us);  // escalations count from it
    shift(input->deadline_us);
    shift(input->answer_by_us);
    shift(input->auto_after_us);
    for (TimeUs& moment : input->remind_us) shift(moment);
  }
}

}  // namespace luzia
