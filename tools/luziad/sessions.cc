#include "tools/luziad/sessions.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/config/known_projects.h"
#include "adapters/config/nearest.h"
#include "adapters/socket/client.h"
#include "engine/base/batch_place.h"
#include "engine/job/job.h"
#include "projections/query.h"
#include "projections/queue.h"
#include "projections/totals.h"
#include "tools/luziad/preview.h"
#include "tools/luziad/time_limits.h"

namespace luzia {
namespace {

CommandMeta meta_of(const Caller& caller, const flatbuffers::String* command_id) {
  CommandMeta meta;
  meta.command_id = text(command_id);
  meta.actor = schema::ActorKind::person;
  meta.uid = caller.uid;
  meta.actor_name = caller.name;
  meta.now = wall_now();
  return meta;
}

std::vector<std::string> strings(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* list) {
  std::vector<std::string> out;
  if (list == nullptr) return out;
  for (const auto* each : *list) out.push_back(each->str());
  return out;
}

JobCommand command_of(const wire::ActOnJobsT& request) {
  switch (request.action) {
    case wire::JobAction::cancel: {
      CancelJob cancel{std::nullopt, request.note};
      if (request.grace_ms != ~std::uint64_t{0}) cancel.grace_ms = request.grace_ms;
      return cancel;
    }
    case wire::JobAction::retry:
      return RetryJob{request.note, false};
    case wire::JobAction::hold:
      return HoldJob{request.note};
    case wire::JobAction::release:
      return ReleaseJob{request.note};
    case wire::JobAction::pause:
      return PauseJob{request.note};
    case wire::JobAction::resume:
      return ResumeJob{request.note};
    case wire::JobAction::reprioritize:
      return ReprioritizeJob{request.priority};
    case wire::JobAction::reschedule:
      return RescheduleJob{request.not_before_us, request.note};
  }
  return HoldJob{};
}

/// How a refusal calls what lets a job go on; null: it only stops it, which is for everybody who sees it.
const char* going_on(wire::JobAction action) {
  switch (action) {
    case wire::JobAction::cancel:
    case wire::JobAction::hold:
    case wire::JobAction::pause:
      return nullptr;
    case wire::JobAction::retry:
      return "retry";
    case wire::JobAction::release:
      return "release";
    case wire::JobAction::resume:
      return "resume";
    case wire::JobAction::reprioritize:
    case wire::JobAction::reschedule:
      return "edit";
  }
  return "change";
}

/// What the decision would say to a job that is only tried.
Status try_out(const Parts& parts, const QueueJob& job, TimeUs now) {
  if (const auto decided = decide(JobState{}, job, now); !decided) return tl::unexpected(decided.error());
  const auto rows = parts.views.snapshot();
  for (const std::string& id : job.after) {
    const auto row = find_job(*rows, parts.log, id, 0);
    if (!row) return tl::unexpected(row.error());
    if (is_terminal(row->state) && row->state != schema::JobState::completed) {
      return fail(ErrorKind::refused, "dependency_failed",
                  "cannot wait for job " + id + ": it has ended already without completing",
                  "luzia retry " + id + " runs it again");
    }
  }
  return {};
}

/// Whether there is anything to pause or resume by the name of a project that is not configured: it has jobs,
/// or is paused from before. On rows that are current.
Status check_known(const Parts& parts, const std::string& project) {
  const auto rows = parts.views.snapshot();
  if (read_row<view::ProjectTotals>(*rows, kTotalsView, project)) return {};
  const auto paused = queue_switches(*rows);
  if (std::ranges::find(paused, project, &view::QueueSwitchT::scope) != paused.end()) return {};
  if (Status read = rows->status(); !read) {
    // Sums that are made anew cannot tell.
    return read.error().code == "views_rebuilding" ? Status() : read;
  }
  return unknown_project(project, parts.config);
}

/// An agent's usage limit is everybody's: who lets it go on must be trusted.
Status check_agent(const Parts& parts, const Caller& caller, const wire::ActOnQueue& request) {
  const std::string agent(text(request.agent()));
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not let agent '" + agent + "' go on");
  }
  if (request.action() == wire::QueueAction::pause || !text(request.project()).empty()) {
    return fail(ErrorKind::usage, "bad_usage", "an agent is only resumed, and for all projects",
                "luzia resume --agent " + agent);
  }
  if (parts.config.agents.contains(agent)) return {};
  std::vector<std::string> names;
  for (const auto& [name, profile] : parts.config.agents) names.push_back(name);
  const std::string near = nearest_name(agent, names);
  return fail(ErrorKind::usage, "unknown_agent", "no agent '" + agent + "' is configured",
              near.empty() ? "luzia config show tells the agents" : "did you mean " + near + "?");
}

/// Who sets a budget decides about it: its project's users do not.
Status check_budget(const Caller& caller, const wire::ActOnQueue& request) {
  if (!request.budget()) return {};
  if (!caller.trusted) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not go over a budget",
                "ask the daemon's user or root");
  }
  if (request.action() == wire::QueueAction::pause || !text(request.agent()).empty()) {
    return fail(ErrorKind::usage, "bad_usage", "a budget is only resumed, and of a project or of all",
                "luzia resume --project NAME --budget");
  }
  return {};
}

/// Which job of the batch names what is wrong there.
Error dependency_error(const Error& error, const std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) {
  for (std::size_t i = 0; i < jobs.size() && jobs.size() > 1; ++i) {
    const auto is_named = [&](const std::string& name) {
      return error.message.find("'" + name + "'") != std::string::npos;
    };
    if (std::ranges::any_of(jobs[i]->after, is_named)) return in_batch(error, i + 1);
  }
  return error;
}

/// What every version of the protocol means alike, so that one daemon can be ended for another.
bool understood_by_all(const wire::ClientFrame& frame) {
  if (frame.request_type() == wire::Request::Hello) return true;
  const wire::Control* control = frame.request_as_Control();
  if (control == nullptr) return false;
  const wire::ControlAction action = control->action();
  return action == wire::ControlAction::ping || action == wire::ControlAction::stop ||
         action == wire::ControlAction::info;
}

}  // namespace

Sessions::Sessions(Parts& parts, Intake& intake, IdSource& ids, Upkeep& upkeep, Hooks& hooks,
                   const AttemptCredentials& credentials, std::size_t open_files)
    : parts_(parts),
      intake_(intake),
      upkeep_(upkeep),
      hooks_(hooks),
      credentials_(credentials),
      doorkeeper_(Doorkeeper::limits_for(open_files)),
      rights_(parts, intake.run_as()),
      queries_(parts),
      waits_(parts, queries_),
      inputs_(parts, rights_, queries_, ids),
      flows_(parts, intake, rights_, queries_, ids),
      lessons_(parts, queries_, ids),
      prompts_(parts, lessons_.index()),
      imports_(parts, queries_),
      removals_(parts, queries_),
      follows_(parts),
      tails_(parts, queries_) {}

void Sessions::drained(ConnectionId connection) {
  follows_.drained(connection);
  tails_.drained(connection);
}

void Sessions::opened(ConnectionId connection, const Peer& peer) {
  Session& session = sessions_[connection];
  session.caller = identify(peer);
  if (!may_use_any(parts_.config, session.caller)) parts_.server.keep_frames_small(connection);
  if (peer.admitted) return;
  constexpr std::uint64_t kUntilKnownMs = 5'000;
  if (!doorkeeper_.let_in(connection, peer.uid)) return parts_.server.close(connection);
  session.until_known = std::make_unique<Timer>(parts_.loop);
  session.until_known->start(kUntilKnownMs, [this, connection] { parts_.server.close(connection); });
}

void Sessions::closed(ConnectionId connection) {
  sessions_.erase(connection);
  doorkeeper_.gone(connection);
  waits_.connection_closed(connection);
  inputs_.connection_closed(connection);
  follows_.connection_closed(connection);
  tails_.connection_closed(connection);
}

void Sessions::config_changed() {
  follows_.config_changed();
  tails_.config_changed();
}

bool Sessions::watched(const std::string& job, bool waiting_counts) const {
  return tails_.watches(job) || follows_.watches(job) || (waiting_counts && waits_.waits_for(job));
}

void Sessions::clear() {
  waits_.clear();
  inputs_.clear();
  flows_.clear();
  follows_.clear();
  tails_.clear();
}

void Sessions::received(ConnectionId connection, const wire::ClientFrame& frame) {
  const RequestId to{connection, frame.id()};
  Session& session = sessions_[connection];
  if (const auto* hello = frame.request_as_Hello()) recognize(session, *hello);
  if (session.until_known && !introduce(to, session)) return;
  if (session.version_gap && !understood_by_all(frame)) return refuse(parts_, to, *session.version_gap);
  if (const auto* hello = frame.request_as_Hello()) return greet(to, session, *hello);
  if (session.caller.admitted && session.caller.job.empty()) return handle(to, session.caller, frame);
  Caller caller = session.caller;
  if (const Status may = rights_.admit(caller, frame); !may) return refuse(parts_, to, may.error());
  handle(to, caller, frame);
}

/// Of an attempt that is over, too: what it may do is asked with each request.
void Sessions::recognize(Session& session, const wire::Hello& hello) const {
  const std::string job(text(hello.job()));
  if (job.empty() || !credentials_.proves(text(hello.credential()), job, hello.attempt())) return;
  session.caller.job = job;
  session.caller.attempt = hello.attempt();
}

bool Sessions::introduce(const RequestId& to, Session& session) {
  const Caller& caller = session.caller;
  const std::string attempt = caller.job + "." + std::to_string(caller.attempt);
  if (!caller.job.empty() && doorkeeper_.introduce(to.connection, attempt)) {
    session.until_known.reset();
    return true;
  }
  refuse(parts_, to,
         {ErrorKind::refused, "stranger",
          caller.job.empty()
              ? "only agents of jobs may speak here, and " + caller.name + " has shown no credential of one"
              : "job " + caller.job + " has too many connections",
          caller.job.empty() ? "run it inside a job (LUZIA_CREDENTIAL), or ask the daemon's owner for access"
                             : "close some"});
  parts_.server.close(to.connection);
  return false;
}

void Sessions::handle(const RequestId& to, const Caller& caller, const wire::ClientFrame& frame) {
  const ConnectionId connection = to.connection;
  switch (frame.request_type()) {
    case wire::Request::NONE:
      break;
    case wire::Request::RemoveJobs:
      return removals_.take(to, caller, *frame.request_as_RemoveJobs());
    case wire::Request::Hello:
      break;
    case wire::Request::Dispatch:
      return dispatch(to, caller, *frame.request_as_Dispatch());
    case wire::Request::ActOnJobs:
      return act(to, caller, *frame.request_as_ActOnJobs());
    case wire::Request::ActOnQueue:
      return act_on_queue(to, caller, *frame.request_as_ActOnQueue());
    case wire::Request::Publish:
      return publish(to, caller, *frame.request_as_Publish());
    case wire::Request::Query: {
      const wire::Query& query = *frame.request_as_Query();
      const bool now = query.at_position() == 0 && query.at_time_us() == 0;
      if (query.view() == wire::View::hooks && now) return list_hooks(to, caller);
      if (Lessons::is_search(query)) return lessons_.search(to, caller, query);
      return queries_.answer(to, caller, query);
    }
    case wire::Request::Wait:
      return waits_.add(to, caller, *frame.request_as_Wait());
    case wire::Request::Follow:
      return follow(to, caller, *frame.request_as_Follow());
    case wire::Request::Tail:
      return tails_.add(to, caller, *frame.request_as_Tail());
    case wire::Request::Control:
      return upkeep_.control(to, caller, *frame.request_as_Control());
    case wire::Request::Forget: {
      const RequestId forgotten{connection, frame.request_as_Forget()->request()};
      waits_.forget(forgotten);
      inputs_.forget(forgotten);
      follows_.forget(forgotten);
      tails_.forget(forgotten);
      return;
    }
    case wire::Request::AskQuestion:
    case wire::Request::AnswerQuestion:
    case wire::Request::CancelQuestion:
    case wire::Request::RequestApproval:
    case wire::Request::DecideApproval:
    case wire::Request::AwaitInput:
    case wire::Request::ConfirmDelivery:
    case wire::Request::NoteWorkspace:
    case wire::Request::CancelApproval:
      return receive_input(to, caller, frame);
    case wire::Request::CreateFlow:
      return flows_.create(to, caller, *frame.request_as_CreateFlow());
    case wire::Request::ActOnFlow:
      return flows_.act(to, caller, *frame.request_as_ActOnFlow());
    case wire::Request::ImportJobs:
      return imports_.take(to, caller, *frame.request_as_ImportJobs());
    case wire::Request::RecordSolution:
    case wire::Request::JudgeSolution:
    case wire::Request::PruneSolutions:
    case wire::Request::StoreFact:
    case wire::Request::ForgetFact:
      return lessons_.receive(to, caller, frame);
    case wire::Request::PreviewPrompt:
      return preview_prompt(to, caller, *frame.request_as_PreviewPrompt());
  }
  refuse(parts_, to,
         {ErrorKind::trouble, "daemon_too_old", "this daemon (" LUZIA_VERSION ") does not know that command",
          "luzia daemon restart starts the installed version; running jobs are not touched"});
}

void Sessions::receive_input(const RequestId& to, const Caller& caller, const wire::ClientFrame& frame) {
  if (const auto* ask = frame.request_as_AskQuestion()) return inputs_.ask(to, caller, *ask);
  if (const auto* answer = frame.request_as_AnswerQuestion()) return inputs_.answer(to, caller, *answer);
  if (const auto* cancel = frame.request_as_CancelQuestion()) return inputs_.cancel(to, caller, *cancel);
  if (const auto* cancel = frame.request_as_CancelApproval()) return inputs_.withdraw(to, caller, *cancel);
  if (const auto* gate = frame.request_as_RequestApproval()) {
    return inputs_.request_approval(to, caller, *gate);
  }
  if (const auto* decide = frame.request_as_DecideApproval()) return inputs_.decide(to, caller, *decide);
  if (const auto* await = frame.request_as_AwaitInput()) return inputs_.await(to, caller, *await);
  if (const auto* said = frame.request_as_ConfirmDelivery()) return inputs_.confirm(to, caller, *said);
  if (const auto* fact = frame.request_as_NoteWorkspace()) return inputs_.note_workspace(to, caller, *fact);
}

void Sessions::greet(const RequestId& to, Session& session, const wire::Hello& hello) {
  session.version_gap = version_gap(hello.protocol(), text(hello.version()), kProtocolVersion, LUZIA_VERSION);
  wire::ServerFrameT frame;
  frame.id = to.request;
  wire::WelcomeT welcome;
  welcome.protocol = kProtocolVersion;
  welcome.version = LUZIA_VERSION;
  welcome.pid = static_cast<std::uint32_t>(getpid());
  welcome.position = parts_.engine.durable();
  frame.reply.Set(std::move(welcome));
  // The one that goes before a request costs neither side a system call.
  const bool waited_for = to.request != 0 || std::exchange(session.greeted, true);
  if (waited_for) return parts_.server.send(to.connection, frame);
  parts_.server.send_along(to.connection, frame);
}

void Sessions::submit(const RequestId& to, const CommandMeta& meta, Command command) {
  parts_.engine.submit(meta, std::move(command), [this, to](const Result<Outcome>& outcome) {
    if (!outcome) return refuse(parts_, to, outcome.error());
    parts_.server.send_built(to.connection, [&](flatbuffers::FlatBufferBuilder& builder) {
      const auto accepted = wire::CreateAccepted(builder, builder.CreateVectorOfStrings(outcome->ids),
                                                 outcome->position, outcome->repeated);
      return wire::CreateServerFrame(builder, to.request, wire::Reply::Accepted, accepted.Union());
    });
  });
}

void Sessions::dispatch(const RequestId& to, const Caller& caller, const wire::Dispatch& request) {
  if (request.jobs() == nullptr || request.jobs()->size() == 0) {
    return refuse(parts_, to, {ErrorKind::usage, "no_jobs", "the dispatch names no job", ""});
  }
  std::vector<std::unique_ptr<wire::DispatchJobT>> jobs;
  for (const auto* job : *request.jobs()) jobs.emplace_back(job->UnPack());
  // Names of dependencies may be prefixes: they are looked up first, all of them, then everything is decided
  // at once. A dry run, which decides nothing, looks up full ids too.
  const bool dry_run = request.dry_run();
  std::vector<std::string> names;
  for (const auto& job : jobs) {
    for (const std::string& name : job->after) {
      if (dry_run || !is_job_id(name) || !caller.trusted) names.push_back(name);
    }
  }
  CommandMeta meta = meta_of(caller, request.jobs()->Get(0)->command_id());
  if (!meta.command_id.empty()) {
    wire::DispatchT whole;
    request.UnPackTo(&whole);
    meta.digest = digest_of(whole);
  }
  auto decide_all = [this, to, caller, meta,
                     dry_run](std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) mutable {
    meta.now = wall_now();
    std::vector<JobOrder> orders;
    wire::AcceptedT preview;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      auto order = intake_.queue_job(caller, *jobs[i], meta.now);
      Result<std::string> shown = order ? Result<std::string>() : tl::unexpected(order.error());
      if (order) {
        const QueueJob& job = std::get<QueueJob>(order->command);
        // An agent that was asked for is one that is there; a dry run shows what is missing all the same.
        const bool asked = !dry_run && !jobs[i]->agent.empty();
        const Status there = asked ? check_installed(job, parts_.config) : Status();
        const Status fits = there ? check_start_size(job) : there;
        const Status tried = fits && dry_run ? try_out(parts_, job, meta.now) : fits;
        shown = !tried ? tl::unexpected(tried.error()) : dry_run ? preview_json(job, parts_.config) : shown;
      }
      if (!shown) {
        return refuse(parts_, to, jobs.size() > 1 ? in_batch(shown.error(), i + 1) : shown.error());
      }
      if (dry_run) preview.ids.push_back(std::move(*shown));
      orders.push_back(std::move(*order));
    }
    if (dry_run) return send_reply(parts_, to, std::move(preview));
    submit(to, meta, std::move(orders));
  };
  const bool in_flow = std::ranges::any_of(jobs, [](const auto& job) { return !job->flow.empty(); });
  if (names.empty() && !in_flow) return decide_all(jobs);
  auto kept = std::make_shared<decltype(jobs)>(std::move(jobs));
  queries_.resolve_names(names, caller, [this, to, caller, kept, decide_all](auto ids) mutable {
    if (!ids) return refuse(parts_, to, dependency_error(ids.error(), *kept));
    if (const auto known = flows_.name_in_full(caller, *kept); !known)
      return refuse(parts_, to, known.error());
    for (const auto& job : *kept) {
      for (std::string& name : job->after) {
        if (const auto id = ids->find(name); id != ids->end()) name = id->second;
      }
    }
    decide_all(*kept);
  });
}

void Sessions::act(const RequestId& to, const Caller& caller, const wire::ActOnJobs& request) {
  auto copy = std::shared_ptr<wire::ActOnJobsT>(request.UnPack());
  if (copy->jobs.empty()) {
    return refuse(parts_, to, {ErrorKind::usage, "no_jobs", "no job is named", "give one or more ids"});
  }
  if (const Status ok = check_durations(*copy); !ok) return refuse(parts_, to, ok.error());
  CommandMeta meta = meta_of(caller, request.command_id());
  if (!meta.command_id.empty()) meta.digest = digest_of(*copy);
  queries_.resolve(copy->jobs, caller, [this, to, caller, copy, meta](auto ids) mutable {
    if (!ids) return refuse(parts_, to, ids.error());
    const char* what = going_on(copy->action);
    for (const std::string& id : *ids) {
      const Status may = what == nullptr ? Status() : rights_.may_go_on(caller, id, what);
      if (!may) return refuse(parts_, to, may.error());
    }
    meta.now = wall_now();
    std::vector<JobOrder> orders;
    for (std::string& id : *ids) orders.push_back({std::move(id), command_of(*copy)});
    submit(to, meta, std::move(orders));
  });
}

void Sessions::act_on_queue(const RequestId& to, const Caller& caller, const wire::ActOnQueue& request) {
  const std::string project(text(request.project()));
  if (!caller.trusted && (project.empty() || !may_use(parts_.config, caller, project))) {
    return refuse(
        parts_, to,
        {ErrorKind::refused, "not_allowed",
         caller.name + " may not pause " + (project.empty() ? "everything" : "project '" + project + "'"),
         ""});
  }
  if (request.action() == wire::QueueAction::resume) {
    const Status may = rights_.may_open_queue(caller, project);
    if (!may) return refuse(parts_, to, may.error());
  }
  if (Status budget = check_budget(caller, request); !budget) return refuse(parts_, to, budget.error());
  wire::ActOnQueueT copy;
  request.UnPackTo(&copy);
  CommandMeta meta = meta_of(caller, request.command_id());
  if (!meta.command_id.empty()) meta.digest = digest_of(copy);
  QueueOrder order{project, copy.action == wire::QueueAction::pause, copy.note, copy.agent, copy.budget};
  if (!copy.agent.empty()) {
    if (Status known = check_agent(parts_, caller, request); !known) return refuse(parts_, to, known.error());
    return submit(to, meta, std::move(order));
  }
  if (project.empty() || parts_.config.projects.contains(project)) return submit(to, meta, std::move(order));
  // Its first job may have come a moment ago.
  queries_.when_current([this, to, meta, order = std::move(order)](const Status& current) mutable {
    const Status known = current ? check_known(parts_, order.project) : current;
    if (!known) return refuse(parts_, to, known.error());
    meta.now = wall_now();
    submit(to, meta, std::move(order));
  });
}

void Sessions::publish(const RequestId& to, const Caller& caller, const wire::Publish& request) {
  auto copy = std::shared_ptr<wire::PublishT>(request.UnPack());
  CommandMeta meta = meta_of(caller, request.command_id());
  meta.actor = schema::ActorKind::agent;
  if (!meta.command_id.empty()) meta.digest = digest_of(*copy);
  auto order = [this, to, copy, meta](const std::string& id) mutable {
    meta.now = wall_now();
    std::vector<JobOrder> orders;
    orders.push_back({id, PublishReport{copy->attempt, copy->report}});
    submit(to, meta, std::move(orders));
  };
  // An agent names its job in full: no need to look it up.
  if ((caller.trusted && is_job_id(copy->job)) || caller.speaks_for(copy->job)) return order(copy->job);
  queries_.resolve({copy->job}, caller, [this, to, caller, order](auto ids) mutable {
    if (!ids) return refuse(parts_, to, ids.error());
    const Status may = rights_.may_go_on(caller, ids->front(), "report in the name of");
    if (!may) return refuse(parts_, to, may.error());
    order(ids->front());
  });
}

void Sessions::preview_prompt(const RequestId& to, const Caller& caller, const wire::PreviewPrompt& request) {
  if (request.job() == nullptr) {
    return refuse(parts_, to, {ErrorKind::usage, "no_jobs", "no job is described", ""});
  }
  auto jobs = std::make_shared<std::vector<std::unique_ptr<wire::DispatchJobT>>>();
  jobs->emplace_back(request.job()->UnPack());
  queries_.when_current([this, to, caller, jobs](const Status& status) {
    if (!status) return refuse(parts_, to, status.error());
    if (const auto known = flows_.name_in_full(caller, *jobs); !known) {
      return refuse(parts_, to, known.error());
    }
    const auto order = intake_.queue_job(caller, *jobs->front(), wall_now());
    if (!order) return refuse(parts_, to, order.error());
    prompts_.preview(to, std::get<QueueJob>(order->command));
  });
}

void Sessions::list_hooks(const RequestId& to, const Caller& caller) {
  if (!caller.trusted) {
    return refuse(parts_, to,
                  {ErrorKind::refused, "not_allowed", caller.name + " may not see the daemon's hooks",
                   "ask its user or root"});
  }
  queries_.when_current([this, to](const Status& status) {
    if (!status) return refuse(parts_, to, status.error());
    hooks_.list(to);
  });
}

void Sessions::follow(const RequestId& to, const Caller& caller, const wire::Follow& request) {
  std::vector<std::string> names;
  if (request.filter() != nullptr) names = strings(request.filter()->jobs());
  if (names.empty()) return follows_.add(to, caller, request, {});
  auto bytes = std::make_shared<flatbuffers::FlatBufferBuilder>();
  wire::FollowT copy;
  request.UnPackTo(&copy);
  bytes->Finish(wire::Follow::Pack(*bytes, &copy));
  queries_.resolve(names, caller, [this, to, caller, bytes](auto ids) {
    if (!ids) return refuse(parts_, to, ids.error());
    follows_.add(to, caller, *flatbuffers::GetRoot<wire::Follow>(bytes->GetBufferPointer()), std::move(*ids));
  });
}

void Sessions::job_changed(const JobState& job) {
  waits_.job_changed(job);
  inputs_.job_changed(job);
  tails_.look(job.job);
}

void Sessions::output_grew(const std::string& job) {
  tails_.look(job);
}

void Sessions::committed(const std::shared_ptr<const Group>& group) {
  follows_.committed(group);
}

}  // namespace luzia
