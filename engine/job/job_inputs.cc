// decide: questions and approvals: which are open, who answered first, and what follows at a deadline.
#include <algorithm>

#include "engine/base/characters.h"
#include "engine/job/decide_parts.h"
#include "engine/job/input_events.h"
#include "engine/job/input_state.h"
#include "engine/job/input_text.h"

namespace luzia {
namespace {

using schema::Decision;
using view::InputKind;

constexpr std::size_t kMaxGateName = 200;

tl::unexpected<Error> refuse_text(const std::string& code, const std::string& what) {
  return fail(ErrorKind::usage, code, what);
}

/// Whether the job can ask: somebody could receive the answer, and there is room for one more request. If it
/// replaces `earlier`, no room is needed.
Status can_ask(const JobState& state, std::uint32_t attempt, const view::InputRequestT* earlier) {
  if (is_terminal(state.state)) return refuse_ended(state, "ask a question about");
  if (attempt != 0 && is_stale(state, attempt)) {
    return fail(ErrorKind::refused, "stale_attempt",
                "attempt " + std::to_string(attempt) + " of job " + state.job + " is over: nobody would hear",
                "");
  }
  if (!has_process(state) || state.stop_requested) {
    return fail(ErrorKind::refused, "not_running",
                "job " + state.job + (state.stop_requested ? " is being stopped" : " has no process") +
                    ": nobody would hear the answer");
  }
  const std::size_t open = count_asked(state) - (earlier != nullptr ? 1 : 0);
  if (open < kMaxOpenInputs) return {};
  return fail(ErrorKind::refused, "too_many_requests",
              "job " + state.job + " has " + std::to_string(open) + " open questions and approvals already",
              "answer some: luzia inbox");
}

/// The open request from the same file that the new one replaces; null: none.
const view::InputRequestT* earlier_of_file(const JobState& state, InputKind kind, std::string_view source) {
  if (source != "file") return nullptr;
  for (const auto& input : state.inputs) {
    if (input->kind == kind && input->source == "file" && is_open(*input)) return input.get();
  }
  return nullptr;
}

/// Within an attempt the same bytes are the same request, until they are written again after their answer.
template <class Command>
bool is_known_file(const JobState& state, InputKind kind, const Command& command) {
  if (command.source != "file") return false;
  const std::string_view hash = command.file_hash;
  return std::ranges::any_of(state.inputs, [&](const auto& input) {
    return !(command.anew && input->delivered) && input->kind == kind &&
           (input->attempt == state.attempt || input->carried) && input->file_hash.size() == hash.size() &&
           std::equal(hash.begin(), hash.end(), input->file_hash.begin(),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  });
}

template <class Fact, class Command>
Fact common_fact(const JobState& state, const Command& command) {
  Fact fact;
  fact.job = state.job;
  fact.attempt = state.attempt;
  fact.deadline_us = command.deadline;
  fact.answer_by_us = command.answer_by;
  fact.priority = state.priority;
  fact.source = command.source;
  fact.file_hash.assign(command.file_hash.begin(), command.file_hash.end());
  fact.call_id = command.call_id;
  fact.remind_us = command.remind;
  return fact;
}

/// How one kind of request is named in commands and messages.
struct Wording {
  InputKind kind;
  const char* one;
  const char* code;
  const char* which_code;
  const char* over_code;
  const char* list;
};
constexpr Wording kQuestionWords = {InputKind::question, "question",         "no_such_question",
                                    "which_question",    "already_answered", "luzia questions"};
constexpr Wording kApprovalWords = {InputKind::approval, "approval",        "no_such_approval",
                                    "which_approval",    "already_decided", "luzia approvals"};

std::string end_words(const view::DecidedInputT& decided) {
  const std::string when = " at " + format_rfc3339(decided.at_us);
  switch (decided.end) {
    case view::InputEnd::answered:
      break;
    case view::InputEnd::timed_out:
      return "timed out" + when;
    case view::InputEnd::cancelled:
      return "was cancelled" + when;
  }
  if (decided.kind == InputKind::question) return "was answered by " + decided.by + when;
  return (decided.decision == Decision::approved ? "was approved by " : "was denied by ") + decided.by + when;
}

bool fits_name(const std::string& id, std::string_view name) {
  return !name.empty() && id.starts_with(name);
}

/// Whether an answer that names no request may be meant for another one. A person means the request that they
/// saw. If it was replaced a moment ago, the answer may come too late.
bool may_be_mistaken(const JobState& state, const view::InputRequestT& open, const std::string& name,
                     TimeUs now) {
  constexpr TimeUs kTimeToSee = 10 * kSecondUs;
  if (fits_name(open.id, name) || now - open.asked_us >= kTimeToSee) return false;
  // Defaults and policies do not count as answers of a person: their names contain blanks, account names do
  // not.
  return std::ranges::any_of(state.decided, [&](const auto& decided) {
    return decided->kind == open.kind && decided->end == view::InputEnd::answered &&
           decided->at_us <= open.asked_us && decided->at_us > now - kTimeToSee &&
           decided->by.find(' ') == std::string::npos;
  });
}

/// The open request that `name` means, or an error that says who answered first or which ones are open.
/// `harmless`: the answer may reach a request that its person has not seen yet.
Result<const view::InputRequestT*> find_open(const JobState& state, const Wording& words,
                                             const std::string& name, TimeUs now, bool harmless = false) {
  std::vector<const view::InputRequestT*> open;
  for (const auto& input : state.inputs) {
    if (input->kind == words.kind && is_open(*input)) open.push_back(input.get());
  }
  std::vector<const view::InputRequestT*> fitting;
  for (const auto* input : open) {
    if (name.empty() || fits_name(input->id, name) || input->gate == name) fitting.push_back(input);
  }
  if (fitting.empty() && !name.empty()) {
    std::vector<std::string> gates;
    for (const auto* input : open) gates.push_back(input->gate);
    const std::size_t picked = pick_name(gates, name);
    if (picked != std::string::npos) fitting.push_back(open[picked]);
  }
  if (fitting.size() == 1) {
    if (harmless || !may_be_mistaken(state, *fitting.front(), name, now)) return fitting.front();
    return fail(ErrorKind::refused, words.which_code,
                "job " + state.job + " has just put another " + words.one + ", " + fitting.front()->id +
                    ", after one that is over",
                std::string(words.list) + " shows it; name it by its id");
  }
  if (fitting.size() > 1) {
    std::string ids;
    for (const auto* input : fitting) {
      ids += (ids.empty() ? "" : ", ") + input->id + (input->gate.empty() ? "" : " (" + input->gate + ")");
    }
    return fail(ErrorKind::usage, words.which_code,
                "job " + state.job + " has several open " + words.one + "s: " + ids, "name the one you mean");
  }
  // The last matching request that is over, for the refusal of a second answer. Of ended approvals only ids
  // are kept, so a gate's name means the last one.
  const view::DecidedInputT* last = nullptr;
  for (const auto& decided : state.decided) {
    if (decided->kind != words.kind) continue;
    const bool named = name.empty() || fits_name(decided->id, name);
    if (named || (words.kind == InputKind::approval && open.empty())) last = decided.get();
  }
  if (last != nullptr) {
    return fail(ErrorKind::refused, words.over_code,
                std::string(words.one) + " " + last->id + " " + end_words(*last));
  }
  return fail(ErrorKind::not_found, words.code,
              "job " + state.job + " has no open " + words.one + (name.empty() ? "" : " '" + name + "'"),
              words.list + std::string(" lists what is open"));
}

/// A decision made without asking: by the policy in the command, or by what a person said earlier for this
/// job.
struct ForeDecision {
  Decision decision = Decision::none;
  std::string policy;
};

ForeDecision decided_before(const JobState& state, const RequestApproval& command) {
  if (command.policy_decision == Decision::denied) return {command.policy_decision, command.policy};
  const auto has = [](const std::vector<std::string>& rules, const std::string& rule) {
    return !rule.empty() && std::ranges::find(rules, rule) != rules.end();
  };
  for (const std::string& rule : {command.rule, command.wider_rule}) {
    if (has(state.refused, rule)) return {Decision::denied, "denied before for this job (" + rule + ")"};
  }
  if (command.policy_decision != Decision::none) return {command.policy_decision, command.policy};
  if (has(state.allowed, command.rule))
    return {Decision::approved, "approved before for this job (" + command.rule + ")"};
  return {};
}

NewEvent requested(const JobState& state, const RequestApproval& command) {
  auto fact = common_fact<schema::ApprovalRequestedT>(state, command);
  fact.approval = command.id;
  fact.gate = command.gate;
  fact.tool = command.tool;
  fact.rule = command.rule;
  fact.auto_after_us = command.auto_after;
  std::vector<Blob> blobs;
  fact.description = std::make_unique<schema::BlobRefT>(blob_ref(command.description));
  blobs.push_back(command.description);
  if (!command.tool_input.content.empty()) {
    fact.tool_input = std::make_unique<schema::BlobRefT>(blob_ref(command.tool_input));
    blobs.push_back(command.tool_input);
  }
  NewEvent event = job_event(state.job, std::move(fact));
  event.blobs = std::move(blobs);
  return event;
}

}  // namespace

NewEvent asked_question(const JobState& state, const AskQuestion& command) {
  auto fact = common_fact<schema::QuestionAskedT>(state, command);
  fact.question = command.id;
  fact.type = command.type;
  fact.text = std::make_unique<schema::BlobRefT>(blob_ref(command.text));
  fact.options = command.options;
  fact.default_answer = command.default_answer;
  fact.unattended = command.unattended;
  fact.ends_attempt = command.ends_attempt;
  fact.free_text = command.free_text;
  NewEvent event = job_event(state.job, std::move(fact));
  event.blobs.push_back(command.text);
  return event;
}

Decided decide_command(const JobState& state, const AskQuestion& command, TimeUs /*now*/) {
  if (is_known_file(state, InputKind::question, command)) return Events{};
  const auto* earlier = earlier_of_file(state, InputKind::question, command.source);
  const std::uint32_t others = count_open(state) - (earlier != nullptr ? 1 : 0);
  LUZIA_TRY(can_ask(state, command.attempt, earlier));
  if (is_blank(command.text.content)) return refuse_text("no_question", "the question is empty");
  if (command.text.content.size() > kMaxInputText) {
    return refuse_text("question_too_long", "the question is longer than 64 KiB");
  }
  LUZIA_TRY(check_options(command.type, command.options, command.default_answer));
  Events events;
  if (earlier != nullptr) events.push_back(cancelled_input(state, *earlier, "replaced by a new question"));
  events.push_back(asked_question(state, command));
  if (!command.unattended) events.push_back(waiting_for(state, others + 1));
  return events;
}

Decided decide_command(const JobState& state, const AnswerQuestion& command, TimeUs now) {
  const auto found = LUZIA_TRY(find_open(state, kQuestionWords, command.question, now));
  const view::InputRequestT& question = *found;
  auto answer = LUZIA_TRY((question.free_text ? free_answer : normal_answer)(question.type, question.options,
                                                                             command.answer.content));
  const bool stops = question.source == kMonitorSource && answer == kStopIt;
  Blob stored{command.answer.index, command.answer.salt, std::move(answer)};
  schema::QuestionAnsweredT fact;
  fact.question = question.id;
  fact.answer = std::make_unique<schema::BlobRefT>(blob_ref(stored));
  Events events = one(job_event(state.job, std::move(fact)));
  events.back().blobs.push_back(std::move(stored));
  if (stops && has_process(state) && !state.stop_requested) {
    events.push_back(stop_request(state, schema::StopReason::cancelled, "as answered to " + question.id));
  }
  return with_what_follows(state, std::move(events), question, InputFate::answered);
}

Decided decide_command(const JobState& state, const CancelQuestion& command, TimeUs now) {
  // A gate can only be cancelled here by its full id, as the daemon does for an agent that withdrew its
  // question.
  const view::InputRequestT* named = find_input(state, command.question);
  const bool is_gate = named != nullptr && named->kind == InputKind::approval;
  const auto found =
      LUZIA_TRY(find_open(state, is_gate ? kApprovalWords : kQuestionWords, command.question, now));
  return with_what_follows(state, one(cancelled_input(state, *found, command.reason)), *found,
                           InputFate::withdrawn);
}

Decided decide_command(const JobState& state, const RequestApproval& command, TimeUs /*now*/) {
  if (is_known_file(state, InputKind::approval, command)) return Events{};
  const auto* earlier = earlier_of_file(state, InputKind::approval, command.source);
  const std::uint32_t others = count_open(state) - (earlier != nullptr ? 1 : 0);
  LUZIA_TRY(can_ask(state, command.attempt, earlier));
  if (command.gate.empty()) return refuse_text("no_gate", "the gate has no name");
  if (command.gate.size() > kMaxGateName) {
    return refuse_text("gate_too_long", "the gate's name is longer than 200 bytes");
  }
  if (command.description.content.size() > kMaxInputText ||
      command.tool_input.content.size() > kMaxInputText) {
    return refuse_text("question_too_long", "the description or the tool's input is longer than 64 KiB");
  }
  Events events;
  if (earlier != nullptr) events.push_back(cancelled_input(state, *earlier, "replaced by a new gate"));
  events.push_back(requested(state, command));
  const ForeDecision before = decided_before(state, command);
  if (before.decision == Decision::none) {
    events.push_back(waiting_for(state, others + 1));
    return events;
  }
  schema::ApprovalDecidedT fact;
  fact.approval = command.id;
  fact.decision = before.decision;
  fact.policy = before.policy;
  events.push_back(job_event(state.job, std::move(fact)));
  if (earlier != nullptr) events.push_back(continued_with(state, others));
  return events;
}

Decided decide_command(const JobState& state, const DecideApproval& command, TimeUs now) {
  // A denial stops something at most.
  const auto found = LUZIA_TRY(find_open(state, kApprovalWords, command.approval, now, !command.approve));
  schema::ApprovalDecidedT fact;
  fact.approval = found->id;
  fact.decision = command.approve ? Decision::approved : Decision::denied;
  fact.note = command.note;
  fact.remember = command.remember;
  return with_what_follows(state, one(job_event(state.job, std::move(fact))), *found, InputFate::answered);
}

Decided decide_command(const JobState& state, const CancelApproval& command, TimeUs now) {
  const auto found = LUZIA_TRY(find_open(state, kApprovalWords, command.approval, now));
  return with_what_follows(state, one(cancelled_input(state, *found, command.reason)), *found,
                           InputFate::withdrawn);
}

Decided decide_command(const JobState& state, const ConfirmDelivery& command, TimeUs /*now*/) {
  const view::InputRequestT* input = find_input(state, command.id);
  if (input == nullptr || input->delivered) return Events{};
  if (is_open(*input)) {
    return fail(ErrorKind::refused, "not_answered", command.id + " is still open: nothing can be delivered");
  }
  return one(delivered_input(state, *input, command.channel));
}

Decided decide_command(const JobState& state, const RemindOfInput& command, TimeUs /*now*/) {
  const view::InputRequestT* input = find_input(state, command.id);
  if (input == nullptr || !is_open(*input)) return Events{};
  return one(reminder(state, *input, command.channel));
}

Decided decide_command(const JobState& state, const NoteWorkspace& command, TimeUs /*now*/) {
  NewEvent event = job_event(state.job, command.fact);
  if (command.evidence) event.evidence = std::make_unique<schema::EvidenceT>(*command.evidence);
  return one(std::move(event));
}

}  // namespace luzia
