// Subcommands of `luzia flow` that change a flow.
#include <unistd.h>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "tools/luzia/change/cancelling.h"
#include "tools/luzia/person.h"
#include "tools/luzia/run/dispatch.h"
#include "tools/luzia/run/flow_gate.h"
#include "tools/luzia/run/flows.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

std::pair<std::string, std::string> flow_and_step(const Words& words) {
  if (words.size() > 1) return {words[0], words[1]};
  const auto both = split_flow_step(words[0]);
  return both ? *both : std::pair{words[0], std::string()};
}

/// The value of the option, or the content of --file.
Result<std::string> long_text(const Arguments& args, std::string_view option) {
  if (!args.has("file")) return args.text(option);
  return read_text(args.text("file"));
}

Result<int> send_flow_action(Invocation& invocation, wire::ActOnFlowT request, const std::string& done) {
  request.command_id = command_id_of(invocation.args());
  request.from_job = own_job().job;
  auto client = LUZIA_TRY(invocation.connect());
  return send_flow_command(invocation, client, request_of(std::move(request)), done);
}

Result<int> act_on_step(Invocation& invocation, const Words& words, wire::FlowAction action, std::string text,
                        const std::string& done) {
  wire::ActOnFlowT request;
  request.action = action;
  std::tie(request.flow, request.step) = flow_and_step(words);
  if (request.step.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "no step given", "give FLOW STEP, or FLOW/STEP");
  }
  request.text = std::move(text);
  const std::string step = request.step;
  return send_flow_action(invocation, std::move(request), "step " + step + " " + done);
}

Result<int> create_flow(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  wire::CreateFlowT request;
  request.project = words[0];
  request.description = words.size() > 1 ? words[1] : std::string();
  request.tags = args.texts("tag");
  for (std::string& text : args.texts("follow-up")) {
    request.follow_ups.emplace_back(std::make_unique<schema::FollowUpT>())->text = std::move(text);
  }
  for (const std::string& name : args.texts("step")) {
    auto& step = *request.steps.emplace_back(std::make_unique<wire::NewFlowStepT>());
    const std::size_t colon = name.rfind(':');
    step.name = name.substr(0, colon);
    if (colon != std::string::npos) step.needs = split_list(name.substr(colon + 1));
    const bool follows = args.has("in-order") && request.steps.size() > 1;
    if (follows && colon == std::string::npos) step.needs = {request.steps[request.steps.size() - 2]->name};
  }
  request.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  return send_flow_command(invocation, client, request_of(std::move(request)), "is created");
}

Result<int> start_step(Invocation& invocation, const Words& words) {
  return act_on_step(invocation, words, wire::FlowAction::start, "", "is in progress");
}
Result<int> complete_step(Invocation& invocation, const Words& words) {
  auto output = LUZIA_TRY(long_text(invocation.args(), "output"));
  return act_on_step(invocation, words, wire::FlowAction::complete, std::move(output), "is completed");
}
Result<int> fail_step(Invocation& invocation, const Words& words) {
  auto error = LUZIA_TRY(long_text(invocation.args(), "error"));
  return act_on_step(invocation, words, wire::FlowAction::fail, std::move(error), "has failed");
}
Result<int> skip_step(Invocation& invocation, const Words& words) {
  return act_on_step(invocation, words, wire::FlowAction::skip, invocation.args().text("note"), "is skipped");
}
Result<int> reset_step(Invocation& invocation, const Words& words) {
  return act_on_step(invocation, words, wire::FlowAction::reset, invocation.args().text("note"), "is reset");
}
template <bool open>
Result<int> decide_gate(Invocation& invocation, const Words& words) {
  auto client = LUZIA_TRY(invocation.connect());
  auto request = LUZIA_TRY(gate_command(invocation, client, words, open));
  request.command_id = command_id_of(invocation.args());
  const std::string done = gate_command_done(request);
  return send_flow_command(invocation, client, request_of(std::move(request)), done);
}

/// Whether the flow has ended. False if it does not exist: the command itself will report that.
bool has_ended(Invocation& invocation, const std::string& name) {
  auto client = invocation.connect();
  if (!client) return false;
  const auto flow = ask_flow(invocation, *client, name);
  return flow && flow->state != view::FlowState::active;
}

Result<int> add_step(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  if (args.list("agent").size() > 1) return fail(ErrorKind::usage, "bad_usage", "a step has one agent");
  auto prompt = LUZIA_TRY(long_text(args, "prompt"));
  wire::ActOnFlowT request;
  request.action = wire::FlowAction::add;
  std::tie(request.flow, request.step) = flow_and_step(words);
  request.added = std::make_unique<wire::NewFlowStepT>();
  request.added->name = request.step;
  request.added->needs = args.texts("needs");
  request.added->prompt = std::move(prompt);
  request.added->agent = args.text("agent");
  request.added->gate = args.text("gate");
  request.added->description = args.text("description");
  request.added->retries = static_cast<std::uint32_t>(args.number("retries").value_or(0));
  request.added->timeout_ms = args.duration_ms("timeout").value_or(0);
  const bool was_over = has_ended(invocation, request.flow);
  const std::string step = request.step;
  return send_flow_action(
      invocation, std::move(request),
      "step " + step + " is added" + (was_over ? "; the flow had ended and is active again" : ""));
}

Result<int> change_tags(Invocation& invocation, const Words& words, wire::FlowAction action,
                        const char* done) {
  wire::ActOnFlowT request;
  request.action = action;
  request.flow = words[0];
  request.tags.assign(words.begin() + 1, words.end());
  return send_flow_action(invocation, std::move(request), done);
}
Result<int> tag_flow(Invocation& invocation, const Words& words) {
  return change_tags(invocation, words, wire::FlowAction::tag, "is tagged");
}
Result<int> untag_flow(Invocation& invocation, const Words& words) {
  return change_tags(invocation, words, wire::FlowAction::untag, "no longer has these tags");
}

Result<int> note_in_flow(Invocation& invocation, const Words& words) {
  wire::ActOnFlowT request;
  request.action = wire::FlowAction::note;
  request.flow = words[0];
  request.key = words[1];
  request.text = words.size() > 2 ? words[2] : std::string();
  return send_flow_action(invocation, std::move(request), "is noted");
}

Result<int> act_on_flow(Invocation& invocation, const Words& words, wire::FlowAction action,
                        const std::string& done) {
  wire::ActOnFlowT request;
  request.action = action;
  request.flow = words[0];
  request.text = invocation.args().text("note");
  return send_flow_action(invocation, std::move(request), done);
}
Result<int> pause_flow(Invocation& invocation, const Words& words) {
  return act_on_flow(invocation, words, wire::FlowAction::pause,
                     "dispatches no steps until luzia flow resume");
}
Result<int> resume_flow(Invocation& invocation, const Words& words) {
  return act_on_flow(invocation, words, wire::FlowAction::resume, "continues");
}
/// The queued and running jobs of the flow's steps.
std::vector<std::string> jobs_at_work(const Flow& flow) {
  std::vector<std::string> jobs;
  for (const auto& step : flow.steps) {
    if (step->queued || (step->state == schema::StepState::in_progress && !step->job.empty())) {
      jobs.push_back(step->job);
    }
  }
  return jobs;
}

Result<std::string> full_flow_id(Invocation& invocation, const std::string& name) {
  auto client = LUZIA_TRY(invocation.connect());
  const auto flow = ask_flow(invocation, client, name);
  return flow ? Result<std::string>(flow->id) : tl::unexpected(flow.error());
}

/// Cancels the flow's jobs. Call it after the flow has ended, so that no further job starts meanwhile.
Result<int> cancel_its_jobs(Invocation& invocation, const std::string& id) {
  auto client = LUZIA_TRY(invocation.connect());
  const auto flow = LUZIA_TRY(ask_flow(invocation, client, id));
  wire::ActOnJobsT request;
  request.action = wire::JobAction::cancel;
  request.jobs = jobs_at_work(flow);
  request.note = "flow " + flow.id + " was ended";
  request.command_id = fresh_command_id();
  if (request.jobs.empty()) {
    invocation.say("none of its jobs was running or queued");
    return 0;
  }
  const auto accepted = LUZIA_TRY(cancel_in_parts(invocation, client, request));
  invocation.say("cancelling " + counted(accepted.ids.size(), "job of the flow", "jobs of the flow"));
  return 0;
}

Result<int> end_flow(Invocation& invocation, const Words& words) {
  if (!invocation.args().has("cancel-jobs")) {
    return act_on_flow(invocation, words, wire::FlowAction::end,
                       "has ended; jobs of its steps continue: --cancel-jobs cancels them too");
  }
  // Resolve the id first: @last may be another flow by the time the jobs are cancelled.
  const auto id = LUZIA_TRY(full_flow_id(invocation, words[0]));
  auto ended = act_on_flow(invocation, {id}, wire::FlowAction::end, "has ended");
  const bool was_over = !ended && ended.error().code == "flow_ended";
  return ended || was_over ? cancel_its_jobs(invocation, id) : ended;
}
Result<int> reopen_flow(Invocation& invocation, const Words& words) {
  return act_on_flow(invocation, words, wire::FlowAction::reopen, "is active again");
}

Result<int> remove_flow(Invocation& invocation, const Words& words) {
  return act_on_flow(
      invocation, words, wire::FlowAction::remove,
      "is removed from all lists; luzia flow status and history show it, reopen brings it back");
}

constexpr FlowVerb kFlowChangeVerbs[] = {
    {"create", "PROJECT [DESCRIPTION] [--step NAME[:NEEDS]]... [--in-order] [--tag T] [--follow-up TEXT]...",
     1, 2, create_flow, "step in-order tag follow-up command-id", false,
     "create a flow that people move, step by step"},
    {"start", "FLOW STEP", 1, 2, start_step, "command-id", kNeedsStore, "say that a step has begun"},
    {"complete", "FLOW STEP [--output TEXT | --file FILE]", 1, 2, complete_step, "output file command-id",
     kNeedsStore, "say that a step is done"},
    {"fail", "FLOW STEP [--error TEXT]", 1, 2, fail_step, "error file command-id", kNeedsStore,
     "say that a step has failed"},
    {"skip", "FLOW STEP [--note TEXT]", 1, 2, skip_step, "note command-id", kNeedsStore, "leave a step out"},
    {"reset", "FLOW STEP [--note TEXT]", 1, 2, reset_step, "note command-id", kNeedsStore,
     "let a step wait to be done again"},
    {"add", "FLOW STEP [--needs A,B] [--prompt TEXT] [--agent NAME] [--gate NAME]", 1, 2, add_step,
     "needs prompt agent gate description retries timeout file command-id", kNeedsStore,
     "add a step to a flow"},
    {"approve", "FLOW [STEP|GATE] [--note TEXT]", 1, 2, decide_gate<true>, "note command-id", kNeedsStore,
     "open the gate that a step waits at"},
    {"deny", "FLOW [STEP|GATE] [--note TEXT]", 1, 2, decide_gate<false>, "note command-id", kNeedsStore,
     "shut the gate that a step waits at: the step fails"},
    {"tag", "FLOW TAG...", 2, -1, tag_flow, "command-id", kNeedsStore, "give a flow tags"},
    {"untag", "FLOW TAG...", 2, -1, untag_flow, "command-id", kNeedsStore, "take tags from a flow"},
    {"note", "FLOW KEY [VALUE]", 2, 3, note_in_flow, "command-id", kNeedsStore,
     "keep a note with a flow; without a value, remove it"},
    {"pause", "FLOW [--note TEXT]", 1, 1, pause_flow, "note command-id", kNeedsStore,
     "dispatch no further step of a flow"},
    {"resume", "FLOW", 1, 1, resume_flow, "note command-id", kNeedsStore,
     "dispatch the steps of a paused flow again"},
    {"end", "FLOW [--note TEXT] [--cancel-jobs]", 1, 1, end_flow, "note cancel-jobs command-id", kNeedsStore,
     "end a flow before all its steps are done"},
    {"reopen", "FLOW [--note TEXT]", 1, 1, reopen_flow, "note command-id", kNeedsStore,
     "go on with a flow that has ended, or bring back a removed one"},
    {"rm", "FLOW [--note TEXT]", 1, 1, remove_flow, "note command-id", kNeedsStore,
     "leave a flow that has ended out of lists and statistics"},
};

std::string flow_id_of(const wire::AcceptedT& accepted) {
  return accepted.ids.empty() ? std::string() : accepted.ids.front();
}

}  // namespace

std::span<const FlowVerb> flow_change_verbs() {
  return kFlowChangeVerbs;
}

std::string print_flow_id(const Invocation& invocation, const wire::AcceptedT& accepted) {
  std::string id = flow_id_of(accepted);
  print_line(invocation.json() ? accepted_json(accepted) : id);
  return id;
}

Result<int> send_flow_command(Invocation& invocation, Client& client, const wire::RequestUnion& request,
                              const std::string& done) {
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request));
  // If stdout and stderr are both a terminal, print the id only once.
  const bool is_seen_twice = ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  const bool is_said = is_seen_twice && !invocation.json() && !invocation.args().has("quiet");
  const std::string id = is_said ? flow_id_of(accepted) : print_flow_id(invocation, accepted);
  invocation.say(id + ": " + done);
  return 0;
}

}  // namespace luzia
