#include "tools/luziad/intake/flows.h"

#include <pwd.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "engine/base/batch_place.h"
#include "engine/base/utf8.h"
#include "projections/flows.h"
#include "projections/query.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/base/time_limits.h"
#include "tools/luziad/inputs/prompt_commands.h"
#include "tools/luziad/intake/preview.h"

namespace luzia {
namespace {

constexpr std::string_view kFlowIdBegin = "f-";
constexpr std::uint64_t kTakeUpAgainMs = 1'000;

NewStep new_step(const wire::NewFlowStepT& request) {
  NewStep made;
  made.step.name = request.name;
  made.step.needs = request.needs;
  made.step.agent = request.agent;
  made.step.gate = request.gate;
  made.step.retries = request.retries;
  made.step.description = request.description;
  made.step.timeout_ms = request.timeout_ms;
  made.step.tags = request.tags;
  made.step.priority = request.priority;
  if (!request.prompt.empty()) made.prompt = salted_text(0, request.prompt);
  return made;
}

/// Refuses an unknown agent now; otherwise its step would fail only when its turn comes.
Status check_agents(const Config& config, const wire::CreateFlowT& request) {
  for (const auto& step : request.steps) {
    if (step->agent.empty() || config.agents.contains(step->agent)) continue;
    return fail(ErrorKind::usage, "unknown_agent",
                "step '" + step->name + "': no agent '" + step->agent + "' is configured",
                "luzia config show lists the agents");
  }
  return {};
}

/// A step's job, from a request or from a row.
template <class Step>
wire::DispatchJobT job_of_step(const Step& step, const std::string& project, std::string prompt) {
  wire::DispatchJobT job;
  job.project = project;
  job.task = std::move(prompt);
  job.agent = step.agent;
  job.priority = step.priority;
  job.timeout_ms = step.timeout_ms;
  job.tags = step.tags;
  job.step = step.name;
  job.retries = 0;  // the flow retries, with a new job
  return job;
}

EndStep end_step(const wire::ActOnFlowT& request, schema::StepState state) {
  EndStep end{request.step, state};
  end.job = request.job.empty() ? request.from_job : request.job;
  if (state == schema::StepState::completed) {
    if (!request.text.empty()) end.output = salted_text(0, request.text);
  } else {
    end.error = request.text;
  }
  return end;
}

Result<FlowCommand> command_of(const wire::ActOnFlowT& request) {
  using wire::FlowAction;
  switch (request.action) {
    case FlowAction::start:
      return StartStep{request.step, request.job};
    case FlowAction::complete:
      return end_step(request, schema::StepState::completed);
    case FlowAction::fail:
      return end_step(request, schema::StepState::failed);
    case FlowAction::skip:
      return end_step(request, schema::StepState::skipped);
    case FlowAction::reset:
      return ResetStep{request.step, request.text};
    case FlowAction::add:
      if (!request.added) break;
      LUZIA_TRY(check_durations(*request.added));
      return AddStep{new_step(*request.added)};
    case FlowAction::tag:
      return TagFlow{request.tags, {}};
    case FlowAction::untag:
      return TagFlow{{}, request.tags};
    case FlowAction::note:
      return NoteFlow{request.key, request.text};
    case FlowAction::open_gate:
      return DecideStepGate{request.step, true, request.text};
    case FlowAction::deny_gate:
      return DecideStepGate{request.step, false, request.text};
    case FlowAction::pause:
      return PauseFlow{request.text};
    case FlowAction::resume:
      return ResumeFlow{request.text};
    case FlowAction::end:
      return EndFlow{request.text};
    case FlowAction::reopen:
      return ReopenFlow{request.text};
    case FlowAction::remove:
      return RemoveFlow{request.text};
  }
  return fail(ErrorKind::usage, "unknown_action",
              "this daemon does not know what is to be done with the flow",
              "use the same version of luzia and luziad");
}

/// Whether the action may lead to dispatches, or changes what steps are given. Actions that only stop or
/// organize are allowed to everybody who sees the flow.
bool lets_go_on(wire::FlowAction action) {
  using enum wire::FlowAction;
  switch (action) {
    case start:
    case complete:
    case fail:
    case skip:
    case reset:
    case add:
    case note:
    case open_gate:
    case resume:
    case reopen:
      return true;
    case tag:
    case untag:
    case deny_gate:
    case pause:
    case end:
    case remove:
      return false;
  }
  return true;
}

/// The account that the flow runs as, from the current user database; without a group if it is unknown.
Caller caller_of(std::uint32_t uid) {
  const passwd* entry = getpwuid(uid);
  return identify({uid, entry != nullptr ? entry->pw_gid : ~gid_t{0}, 0});
}

/// Whether a refusal is final, so that a retry cannot succeed.
bool is_final(const Error& error) {
  return error.kind == ErrorKind::usage || error.code == "unknown_project" ||
         error.code == "user_not_allowed";
}

/// The flow has moved on meanwhile: nothing is left to dispatch.
bool has_moved_on(const Error& error) {
  return error.code == "step_busy" || error.code == "step_over" || error.code == "flow_ended" ||
         error.code == "step_not_ready" || error.code == "gate_shut" || error.code == "no_such_step" ||
         error.code == "no_such_flow";
}

Error prompt_is_gone(const std::string& flow, const Error& why) {
  return {why.kind, why.code, "its prompt is gone: " + why.message,
          "luzia flow add " + flow + " adds a step with a new one"};
}

}  // namespace

Flows::Flows(const Threads& threads, const Store& store, const Desk& desk, Intake& intake, Rights& rights,
             Queries& queries, IdSource& ids)
    : threads_(threads),
      store_(store),
      desk_(desk),
      intake_(intake),
      rights_(rights),
      queries_(queries),
      ids_(ids),
      waiting_(threads.loop, kTakeUpAgainMs,
               [this](const std::string& flow, const std::string& step) { take_up(flow, step); }) {}

Status Flows::create(const RequestId& to, const Caller& caller, const wire::CreateFlow& request) {
  wire::CreateFlowT copy;
  request.UnPackTo(&copy);
  LUZIA_TRY(find_project(desk_.config, caller, copy.project));
  LUZIA_TRY(check_step_count(copy.steps.size()));
  LUZIA_TRY(check_agents(desk_.config, copy));
  for (const auto& step : copy.steps) {
    LUZIA_TRY(check_durations(*step));
    if (copy.runs) {
      LUZIA_TRY(check_job(caller, copy.project, *step, copy.dry_run));
    }
  }
  const CommandMeta meta = meta_of(caller, copy, schema::ActorKind::person);
  CreateFlow command;
  command.id = std::string(kFlowIdBegin) + ids_.next(meta.now);
  command.flow.project = copy.project;
  command.flow.description = copy.description;
  command.flow.tags = copy.tags;
  command.flow.follow_ups = std::move(copy.follow_ups);
  command.flow.runs = copy.runs;
  command.flow.max_running = copy.max_running;
  command.flow.keep_going = copy.keep_going;
  command.flow.source = copy.source;
  command.flow.user = caller.name;
  command.flow.uid = caller.uid;
  Flow made;
  made.id = command.id;
  made.project = command.flow.project;
  made.runs = command.flow.runs;
  made.user = command.flow.user;
  made.uid = command.flow.uid;
  // Who may not run its steps may not make it: a device of single projects, with a daemon of root.
  LUZIA_TRY(rights_.may_direct(caller, made));
  for (const auto& step : copy.steps) command.steps.push_back(new_step(*step));
  const std::string id = command.id;
  if (!copy.dry_run) return submit_and_reply(desk_, to, meta, ToFlow{id, std::move(command)});
  LUZIA_TRY(desk_.engine.try_new_flow(meta, id, std::move(command)));
  wire::AcceptedT nothing;
  nothing.position = desk_.engine.durable();
  return send_reply(desk_, to, std::move(nothing));
}

Status Flows::check_job(const Caller& caller, const std::string& project, const wire::NewFlowStepT& step,
                        bool dry_run) {
  if (step.prompt.empty()) return {};
  const auto item = job_command(caller, job_of_step(step, project, step.prompt), wall_now());
  Status usable = item ? Status() : tl::unexpected(item.error());
  // As for a dispatch: an agent that was requested must be installed, in a dry run also the default one.
  if (usable && (dry_run || !step.agent.empty())) {
    usable = check_installed(std::get<QueueJob>(item->command), desk_.config);
  }
  if (usable) return {};
  Error error = usable.error();
  error.message.insert(0, "step '" + step.name + "': ");
  return tl::unexpected(std::move(error));
}

Result<ToJob> Flows::job_command(const Caller& caller, const wire::DispatchJobT& request, TimeUs now) {
  auto item = intake_.queue_job(caller, request, now);
  if (!item) return item;
  LUZIA_TRY(check_start_size(std::get<QueueJob>(item->command)));
  return item;
}

Status Flows::act(const RequestId& to, const Caller& caller, const wire::ActOnFlow& request) {
  const std::shared_ptr<wire::ActOnFlowT> copy(request.UnPack());
  const bool decides =
      copy->action == wire::FlowAction::open_gate || copy->action == wire::FlowAction::deny_gate;
  if (copy->from_job.empty()) copy->from_job = caller.job;
  if (decides && !copy->from_job.empty()) {
    return fail(ErrorKind::refused, "own_gate",
                "a job (" + copy->from_job + ") does not decide about gates: a person does",
                "run it outside of the job");
  }
  const auto actor = copy->from_job.empty() ? schema::ActorKind::person : schema::ActorKind::agent;
  CommandMeta meta = meta_of(caller, *copy, actor);
  return queries_.when_current(to, [this, to, caller, copy, meta]() mutable -> Status {
    const std::string id =
        LUZIA_TRY(resolve_flow(*store_.views.snapshot(), copy->flow, project_filter(desk_.config, caller)));
    LUZIA_TRY(may_act(caller, id, *copy));
    auto command = LUZIA_TRY(command_of(*copy));
    meta.now = wall_now();
    return submit_and_reply(desk_, to, meta, ToFlow{id, std::move(command)});
  });
}

/// Steps run as the flow's owner, so other users who see the flow cannot decide what is dispatched. And an
/// agent cannot pass a gate.
Status Flows::may_act(const Caller& caller, const std::string& id, const wire::ActOnFlowT& request) {
  using wire::FlowAction;
  const Flow* live = desk_.engine.flows().find(id);
  const auto stored = live == nullptr ? find_flow_state(*store_.views.snapshot(), id) : std::nullopt;
  const Flow* flow = live != nullptr ? live : stored ? &*stored : nullptr;
  if (flow == nullptr) return {};  // the decider reports that
  if (lets_go_on(request.action)) {
    LUZIA_TRY(rights_.may_direct(caller, *flow));
  }
  const bool adds_task = request.action == FlowAction::add && request.added && !request.added->prompt.empty();
  if (adds_task && !caller.trusted && caller.uid != flow->uid) {
    return fail(ErrorKind::refused, "not_allowed",
                caller.name + " may not add what runs in the name of " + flow->user + ", whose flow this is",
                "add a step without a prompt, or make a flow of your own");
  }
  if (adds_task && !request.added->agent.empty() && !desk_.config.agents.contains(request.added->agent)) {
    return fail(ErrorKind::usage, "unknown_agent", "no agent '" + request.added->agent + "' is configured",
                "luzia config show lists the agents");
  }
  if (adds_task && flow->runs) {
    LUZIA_TRY(check_job(caller_of(flow->uid), flow->project, *request.added, false));
  }
  const view::FlowStepT* step = find_step(*flow, request.step);
  if (step == nullptr) return {};
  const bool shut = !step->gate.empty() && step->gate_state != view::GateState::opened;
  if (request.action == FlowAction::skip && shut && !request.from_job.empty()) {
    return fail(ErrorKind::refused, "own_gate",
                "a job (" + request.from_job + ") does not skip a step whose gate is shut: a person does",
                "run it outside of the job");
  }
  const JobState* job = step->job.empty() ? nullptr : desk_.engine.find_live(step->job);
  if (request.action == FlowAction::reset && job != nullptr && !is_terminal(job->state)) {
    return fail(ErrorKind::refused, "step_busy",
                "job " + step->job + " of step '" + step->name + "' is still there",
                "luzia cancel " + step->job + " ends it");
  }
  return {};
}

Status Flows::name_in_full(const Caller& caller,
                           std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) const {
  const auto rows = store_.views.snapshot();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]->flow.empty()) continue;
    auto id = resolve_flow(*rows, jobs[i]->flow, project_filter(desk_.config, caller));
    if (!id) return tl::unexpected(jobs.size() > 1 ? in_batch(id.error(), i + 1) : id.error());
    LUZIA_TRY(rights_.may_direct(caller, *id));
    jobs[i]->flow = std::move(*id);
  }
  return {};
}

void Flows::step_ready(const Flow& flow, const view::FlowStepT& step) {
  struct Read {
    Position position;
    std::uint32_t index;
    Result<std::string> prompt = tl::unexpected(Error{});
  };
  if (!step.prompt) return;
  auto read = std::make_shared<Read>(Read{step.prompt_position, step.prompt->index});
  threads_.workers.run([this, read] { read->prompt = store_.log.blob(read->position, read->index); },
                       [this, read, id = flow.id, name = step.name] {
                         if (threads_.stopping.stop_requested()) return;
                         prompt_read(id, name, std::move(read->prompt));
                       });
}

void Flows::take_up(const std::string& id, const std::string& name) {
  if (threads_.stopping.stop_requested()) return;
  const Flow* flow = desk_.engine.flows().find(id);
  const view::FlowStepT* step = flow != nullptr ? find_step(*flow, name) : nullptr;
  if (step == nullptr) return waiting_.forget(id, name);
  step_ready(*flow, *step);
}

void Flows::prompt_read(const std::string& id, const std::string& name, Result<std::string> prompt) {
  const Flow* flow = desk_.engine.flows().find(id);
  const view::FlowStepT* step = flow != nullptr ? find_step(*flow, name) : nullptr;
  // While the prompt was read, the flow may have been paused, or another caller may have taken the step.
  const auto ready =
      flow != nullptr ? desk_.engine.flows().ready_steps(*flow, wall_now()) : std::vector<std::string>();
  if (step == nullptr || std::ranges::find(ready, name) == ready.end()) return waiting_.forget(id, name);
  if (!prompt && !text_is_gone(prompt.error())) return waiting_.add(id, name, prompt.error());
  if (!prompt) return give_up(id, name, prompt_is_gone(id, prompt.error()));
  dispatch(*flow, *step, std::move(*prompt));
}

void Flows::dispatch(const Flow& flow, const view::FlowStepT& step, std::string prompt) {
  wire::DispatchJobT request = job_of_step(step, flow.project, std::move(prompt));
  request.flow = flow.id;
  const Caller caller = caller_of(flow.uid);
  request.command_id = "flow/" + flow.id + "/" + step.name + "/" + std::to_string(flow.position);
  CommandMeta meta = meta_of(caller, request, schema::ActorKind::daemon);
  meta.cause = flow.position;
  auto item = job_command(caller, request, meta.now);
  if (!item && may_pass(item.error())) return waiting_.add(flow.id, step.name, item.error());
  if (!item) return give_up(flow.id, step.name, item.error());
  waiting_.forget(flow.id, step.name);
  desk_.engine.submit(meta, to_one_job(std::move(item->job), std::move(item->command)),
                      [this, id = flow.id, name = step.name](const Result<Outcome>& done) {
                        if (done || has_moved_on(done.error())) return;
                        if (is_final(done.error())) return give_up(id, name, done.error());
                        // A problem of the daemon: when it is over, the engine or the next daemon names the
                        // step again.
                        spdlog::warn("flow {}: step {} waits: {}", id, name, done.error().message);
                      });
}

void Flows::give_up(const std::string& flow, const std::string& step, const Error& why) {
  waiting_.forget(flow, step);
  spdlog::warn("flow {}: step {} cannot be dispatched: {}", flow, step, why.message);
  CommandMeta meta = by_daemon(wall_now());
  EndStep end{step, schema::StepState::failed};
  end.error = why.message + (why.hint.empty() ? "" : " (" + why.hint + ")");
  end.error = bounded_utf8(end.error, kMaxFlowText);
  desk_.engine.submit(meta, ToFlow{flow, std::move(end)}, {});
}

}  // namespace luzia
