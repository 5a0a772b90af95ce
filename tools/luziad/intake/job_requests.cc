#include "tools/luziad/intake/job_requests.h"

#include <algorithm>

#include "engine/base/batch_place.h"
#include "engine/base/sealed_text.h"
#include "engine/base/utf8.h"
#include "projections/live_jobs.h"
#include "projections/query.h"
#include "tools/luziad/attempts/job_program.h"
#include "tools/luziad/attempts/launch_work.h"
#include "tools/luziad/attempts/terminal_jobs.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/base/salted_text.h"
#include "tools/luziad/base/time_limits.h"
#include "tools/luziad/intake/preview.h"

namespace luzia {
namespace {

/// `last_line`: of the job's log, if it is tracked.
JobCommand command_of(const wire::ActOnJobsT& request, const std::string& last_line) {
  switch (request.action) {
    case wire::JobAction::cancel: {
      CancelJob cancel{std::nullopt, request.note};
      cancel.last_line = last_line;
      if (request.grace_ms != ~std::uint64_t{0}) cancel.grace_ms = request.grace_ms;
      return cancel;
    }
    case wire::JobAction::retry: {
      RetryJob retry{request.note, false, std::nullopt, request.fresh};
      if (!request.message.empty()) retry.message = salted_text(0, request.message);
      return retry;
    }
    case wire::JobAction::hold:
      return HoldJob{request.note};
    case wire::JobAction::release:
      return ReleaseJob{request.note, request.order};
    case wire::JobAction::pause:
      return PauseJob{request.note};
    case wire::JobAction::resume:
      return ResumeJob{request.note};
    case wire::JobAction::reprioritize:
      return ReprioritizeJob{request.priority};
    case wire::JobAction::reschedule:
      return RescheduleJob{request.not_before_us, request.note};
    case wire::JobAction::untrack:
      return UntrackJob{request.note, last_line};
  }
  return HoldJob{};
}

/// The verb for the error message, if the action lets a job continue. Null: it only stops the job, which is
/// allowed to everybody who sees it.
const char* going_on(wire::JobAction action) {
  switch (action) {
    case wire::JobAction::cancel:
    case wire::JobAction::hold:
    case wire::JobAction::pause:
    case wire::JobAction::untrack:
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

constexpr std::size_t kMostMessage = 64 << 10, kMostMessages = 8 << 20;  // bytes; of all jobs together

/// `message_too_long`, `bad_message` (usage).
Status check_message(const wire::ActOnJobs& request) {
  const std::string_view message = text(request.message());
  if (message.empty()) return {};
  if (request.action() != wire::JobAction::retry)
    return fail(ErrorKind::usage, "bad_message", "only a retry takes a message");
  if (message.size() > kMostMessage || message.size() * request.jobs()->size() > kMostMessages) {
    return fail(ErrorKind::usage, "message_too_long",
                "the message has " + std::to_string(message.size()) +
                    " bytes; the limit is 64 KiB, and 8 MiB "
                    "for all jobs of a command together",
                "put it into a file that the agent can read, and name the file");
  }
  if (message.find('\0') == std::string_view::npos && bounded_utf8(message, message.size()) == message)
    return {};
  return fail(ErrorKind::usage, "bad_message", "the message is not valid UTF-8, or contains a NUL character");
}

/// The decision's error for a job that is only tried.
Status try_out(const Store& store, const QueueJob& job, TimeUs now) {
  LUZIA_TRY(decide(JobState{}, job, now));
  const auto rows = store.views.snapshot();
  for (const std::string& id : job.after) {
    const auto row = LUZIA_TRY(find_job(*rows, store.log, id, 0));
    if (is_terminal(row.state) && row.state != schema::JobState::completed) {
      return fail(ErrorKind::refused, "dependency_failed",
                  "cannot wait for job " + id + ": it has ended already without completing",
                  "luzia retry " + id + " runs it again");
    }
  }
  return {};
}

/// An attach that cannot start would end the job as failed, so its program is looked for first, with the
/// environment of the job.
Status can_open_session(const EventLog& log, const JobState& job, const schema::TerminalRunT& run,
                        const Hash& env_key) {
  if (run.command.empty() || job.session_id.empty()) return {};  // the decision refuses that
  std::string own;
  if (job.env) {
    own = LUZIA_TRY(log.blob(job.queued_position, job.env->index));
    own = LUZIA_TRY(dispatch_environment(job.job, std::move(own), env_key));
  }
  const auto program = find_job_program(*job.spec, run.command, attempt_environment(job, own, ""));
  if (program) return {};
  Error error = program.error();
  error.message.insert(0, "cannot attach to job " + job.job + ": ");
  return tl::unexpected(std::move(error));
}

/// The terminal lies in the job directory: nobody else could join what is started there.
Status may_join(const Caller& caller, const schema::JobSpecT& spec) {
  if (caller.uid == 0 || caller.uid == spec.uid) return {};
  return fail(ErrorKind::refused, "user_not_allowed",
              caller.name + " may not attach to a job of " + spec.user + ": only " + spec.user +
                  " and root can join its terminal",
              "luzia answer, luzia approve or luzia retry goes on without one");
}

/// Adds which job of the batch has the error.
Error dependency_error(const Error& error, const std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) {
  for (std::size_t i = 0; i < jobs.size() && jobs.size() > 1; ++i) {
    const auto is_named = [&](const std::string& name) {
      return error.message.find("'" + name + "'") != std::string::npos;
    };
    if (std::ranges::any_of(jobs[i]->after, is_named)) return in_batch(error, i + 1);
  }
  return error;
}

/// The references of fallbacks follow their texts.
void seal_environment(QueueJob& job, const Hash& key) {
  job.env->content = sealed_text(key, job.job, job.env->content);
  for (auto& spec : job.spec.fallbacks) {
    if (!spec->env) continue;
    Blob& env = *std::ranges::find(job.fallback_envs, spec->env->index, &Blob::index);
    env.content = sealed_text(key, job.job, env.content);
    *spec->env = blob_ref(env);
  }
}

}  // namespace

Status JobRequests::check_dispatch(const Caller& /*caller*/, const wire::Dispatch& request) {
  if (request.jobs() != nullptr && request.jobs()->size() > 0) return {};
  return fail(ErrorKind::usage, "no_jobs", "the dispatch names no job");
}

Status JobRequests::check_act(const Caller& caller, const wire::ActOnJobs& request) {
  if (!text(request.order()).empty() && (!caller.trusted || caller.device)) {
    return fail(ErrorKind::refused, "user_not_allowed",
                "the user " + caller.name + " may not release or retry jobs for an order of a fleet",
                "luzia-fleet does so");
  }
  if (request.jobs() != nullptr && request.jobs()->size() > 0) return check_message(request);
  return fail(ErrorKind::usage, "no_jobs", "no job is named", "give one or more ids");
}

Status JobRequests::check_preview(const Caller& /*caller*/, const wire::PreviewPrompt& request) {
  return request.job() != nullptr ? Status() : fail(ErrorKind::usage, "no_jobs", "no job is described");
}

Result<std::string> JobRequests::try_queued(const QueueJob& job, bool agent_asked, bool dry_run,
                                            TimeUs now) const {
  // An agent that was requested must be installed; a dry run continues and shows what is missing.
  if (agent_asked && !dry_run) {
    LUZIA_TRY(check_installed(job, desk_.config));
  }
  LUZIA_TRY(check_start_size(job));
  if (!dry_run) return std::string();
  LUZIA_TRY(try_out(store_, job, now));
  return preview_json(job, desk_.config);
}

Status JobRequests::dispatch(const RequestId& to, const Caller& caller, const wire::Dispatch& request) {
  std::vector<std::unique_ptr<wire::DispatchJobT>> jobs;
  for (const auto* job : *request.jobs()) jobs.emplace_back(job->UnPack());
  // Dependencies may be named by prefixes, so all are looked up first, then everything is decided at once. A
  // dry run, which decides nothing, looks up full ids too.
  const bool dry_run = request.dry_run();
  std::vector<std::string> names;
  for (const auto& job : jobs) {
    for (const std::string& name : job->after) {
      if (dry_run || !is_job_id(name) || !caller.trusted) names.push_back(name);
    }
  }
  CommandMeta meta = meta_of(caller, schema::ActorKind::person);
  meta.command_id = jobs.front()->command_id;
  if (!meta.command_id.empty()) {
    wire::DispatchT whole;
    request.UnPackTo(&whole);
    meta.digest = digest_of(whole);
  }
  auto decide_all = [this, to, caller, meta,
                     dry_run](std::vector<std::unique_ptr<wire::DispatchJobT>>& jobs) mutable -> Status {
    meta.now = wall_now();
    std::vector<ToJob> commands;
    wire::AcceptedT preview;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      auto item = intake_.queue_job(caller, *jobs[i], meta.now);
      auto shown = item.and_then([&](const ToJob& made) {
        return try_queued(std::get<QueueJob>(made.command), !jobs[i]->agent.empty(), dry_run, meta.now);
      });
      if (!shown) return tl::unexpected(jobs.size() > 1 ? in_batch(shown.error(), i + 1) : shown.error());
      if (dry_run) preview.ids.push_back(std::move(*shown));
      // The project's and the agent's variables stand in the configuration; these may be secrets.
      if (!jobs[i]->env.empty()) {
        seal_environment(std::get<QueueJob>(item->command), env_key_);
      }
      commands.push_back(std::move(*item));
    }
    if (dry_run) return send_reply(desk_, to, std::move(preview));
    return submit_and_reply(desk_, to, meta, std::move(commands));
  };
  const bool in_flow = std::ranges::any_of(jobs, [](const auto& job) { return !job->flow.empty(); });
  if (names.empty() && !in_flow) return decide_all(jobs);
  auto kept = std::make_shared<decltype(jobs)>(std::move(jobs));
  auto decide_named = [this, caller, kept, decide_all](auto ids) mutable -> Status {
    if (!ids) return tl::unexpected(dependency_error(ids.error(), *kept));
    LUZIA_TRY(flows_.name_in_full(caller, *kept));
    for (const auto& job : *kept) {
      for (std::string& name : job->after) {
        if (const auto id = ids->find(name); id != ids->end()) name = id->second;
      }
    }
    return decide_all(*kept);
  };
  queries_.resolve_names(names, caller, [this, to, decide_named](auto ids) mutable {
    refuse_unless(desk_, to, decide_named(std::move(ids)));
  });
  return {};
}

Status JobRequests::act(const RequestId& to, const Caller& caller, const wire::ActOnJobs& request) {
  auto copy = std::shared_ptr<wire::ActOnJobsT>(request.UnPack());
  LUZIA_TRY(check_durations(*copy));
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  return queries_.resolve(to, copy->jobs, caller, [this, to, caller, copy, meta](auto ids) mutable -> Status {
    const char* what = going_on(copy->action);
    for (const std::string& id : ids) {
      LUZIA_TRY(what == nullptr ? Status() : rights_.may_go_on(caller, id, what));
      const bool ordered = copy->action == wire::JobAction::retry && !copy->order.empty();
      LUZIA_TRY(ordered ? rights_.may_order(id) : Status());
      if (copy->message.empty()) continue;
      const auto job = find_job_state(*store_.views.snapshot(), id);
      // The decision refuses one that Luzia never ran.
      if (job && job->spec && !is_foreign(*job))
        LUZIA_TRY(takes_message(*job, copy->message.size(), "retry job " + id + " with a message"));
    }
    const bool ends = copy->action == wire::JobAction::cancel || copy->action == wire::JobAction::untrack;
    auto submit = [this, to, copy, meta, ids]() mutable {
      meta.now = wall_now();
      std::vector<ToJob> commands;
      for (const std::string& id : ids) commands.push_back({id, command_of(*copy, tracked_.last_line(id))});
      submit_and_reply(desk_, to, meta, std::move(commands));
    };
    if (!ends) {
      submit();
    } else {
      when_read(ids, std::move(submit));
    }
    return {};
  });
}

void JobRequests::when_read(const std::vector<std::string>& jobs, std::function<void()> then) {
  auto left = std::make_shared<std::size_t>(jobs.size() + 1);
  const auto read = [left, then = std::move(then)] {
    if (--*left == 0) then();
  };
  for (const std::string& job : jobs) tracked_.read_on(job, read);
  read();
}

Status JobRequests::attach(const RequestId& to, const Caller& caller, const wire::AttachJob& request) {
  auto copy = std::shared_ptr<wire::AttachJobT>(request.UnPack());
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  return queries_.resolve(
      to, {copy->job}, caller, [this, to, caller, copy, meta](auto ids) mutable -> Status {
        const std::string& id = ids.front();
        // An agent would stop itself, and its session would ask a person who is not there.
        if (id == caller.job) {
          return fail(ErrorKind::refused, "own_job", "the agent of job " + id + " may not attach to it",
                      "a person does, outside of the job");
        }
        LUZIA_TRY(rights_.may_go_on(caller, id, "attach to"));
        const auto job = find_job_state(*store_.views.snapshot(), id);
        AttachJob attach;
        attach.by = caller.name;
        attach.stop = copy->stop;
        if (job && job->spec) {  // otherwise the decision refuses it
          LUZIA_TRY(may_join(caller, *job->spec));
          attach.run = session_at_terminal(desk_.config, job->spec->agent, *copy);
          LUZIA_TRY(can_open_session(store_.log, *job, attach.run, env_key_));
        }
        meta.now = wall_now();
        return submit_and_reply(desk_, to, meta, to_one_job(id, std::move(attach)));
      });
}

Status JobRequests::publish(const RequestId& to, const Caller& caller, const wire::Publish& request) {
  auto copy = std::shared_ptr<wire::PublishT>(request.UnPack());
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::agent);
  auto publish_it = [this, to, copy, meta](const std::string& id) { return report(to, meta, id, *copy); };
  // An agent uses its job's full id: no lookup needed.
  if ((caller.trusted && is_job_id(copy->job)) || caller.speaks_for(copy->job)) return publish_it(copy->job);
  return queries_.resolve(to, {copy->job}, caller, [this, caller, publish_it](auto ids) -> Status {
    LUZIA_TRY(rights_.may_go_on(caller, ids.front(), "report in the name of"));
    return publish_it(ids.front());
  });
}

/// A report that ends a tracked job comes after what its log holds.
Status JobRequests::report(const RequestId& to, const CommandMeta& meta, const std::string& job,
                           const wire::PublishT& request) {
  const schema::ReportFact kind = request.report.type;
  const bool ends = kind == schema::ReportFact::TaskCompleted || kind == schema::ReportFact::TaskFailed;
  const JobState* live = desk_.engine.find_live(job);
  const bool last = ends && live != nullptr && live->tracked;  // nothing about the job follows
  if (!last && !desk_.engine.is_repeated(meta)) {
    LUZIA_TRY(rate_.count("job " + job, monotonic_now()));
  }
  auto submit = [this, to, job, its = meta,
                 published = PublishReport{request.attempt, request.report}]() mutable {
    its.now = wall_now();
    published.last_line = tracked_.last_line(job);
    submit_and_reply(desk_, to, its, to_one_job(job, std::move(published)));
  };
  if (!ends) {
    submit();
  } else {
    tracked_.read_on(job, std::move(submit));
  }
  return {};
}

std::vector<const JobState*> JobRequests::live_tasks() {
  const auto is_task = [](const JobState* job) {
    return job != nullptr && job->tracked && !is_terminal(job->state);
  };
  if (!tasks_) {
    tasks_.emplace();
    for (const auto& [id, job] : desk_.engine.live_jobs()) {
      if (is_task(&job)) tasks_->emplace(id, true);
    }
  }
  std::vector<const JobState*> live;
  for (const auto& [id, decided] : *tasks_) {
    const JobState* job = desk_.engine.find_live(id);
    if (is_task(job)) live.push_back(job);
  }
  std::erase_if(
      *tasks_, [&](const auto& task) { return task.second && !is_task(desk_.engine.find_live(task.first)); });
  return live;
}

Result<std::string> JobRequests::find_task(const Caller& caller, const wire::PublishT& request) {
  std::vector<const JobState*> found = live_tasks();
  std::erase_if(found, [&](const JobState* job) {
    const bool is_it =
        job->task_id == request.task_id && (request.project.empty() || job->spec->project == request.project);
    return !is_it || !may_use(desk_.config, caller, job->spec->project);
  });
  // Somebody else's task in another project must not stand in the way.
  const auto is_others = [&caller](const JobState* job) { return job->spec->uid != caller.uid; };
  if (found.size() > 1 && !std::ranges::all_of(found, is_others)) std::erase_if(found, is_others);
  if (found.size() == 1) return found.front()->job;
  if (found.size() > 1) {
    std::string projects;
    for (const JobState* job : found) projects += (projects.empty() ? "" : ", ") + job->spec->project;
    return fail(ErrorKind::usage, "ambiguous_task",
                "several projects have a task '" + request.task_id + "': " + projects, "add --project NAME");
  }
  if (request.report.type == schema::ReportFact::TaskStarted) return std::string();
  return fail(ErrorKind::not_found, "no_such_task", "no task '" + request.task_id + "' is under way",
              "luzia publish task_started --task-id ID --project NAME begins one");
}

/// Nobody sees a task end whose publisher is gone, so their number grows unless it is bounded.
Status JobRequests::has_room_for(const TrackTask& task) {
  constexpr std::ptrdiff_t kMostTasks = 1'000;
  const auto is_of_user = [&task](const JobState* job) { return job->spec->uid == task.spec.uid; };
  if (std::ranges::count_if(live_tasks(), is_of_user) < kMostTasks) return {};
  return fail(ErrorKind::refused, "too_many_tasks",
              std::to_string(kMostTasks) + " tasks of " + task.spec.user + " are under way",
              "luzia publish task_completed JOB ends one; luzia jobs --state running lists them");
}

Status JobRequests::publish_of_task(const RequestId& to, const Caller& caller, const wire::Publish& request) {
  wire::PublishT copy;
  request.UnPackTo(&copy);
  const CommandMeta meta = meta_of(caller, copy, schema::ActorKind::agent);
  // A report that ended its task may be sent again, when the task cannot be found any more.
  if (!meta.command_id.empty() && desk_.engine.is_repeated(meta)) {
    return submit_and_reply(desk_, to, meta, std::vector<ToJob>());
  }
  const std::string job = LUZIA_TRY(find_task(caller, copy));
  if (job.empty()) {
    auto begin = LUZIA_TRY(intake_.track_task(caller, copy, meta.now));
    LUZIA_TRY(has_room_for(std::get<TrackTask>(begin.command)));
    LUZIA_TRY(rate_.count(caller.name, monotonic_now()));
    tasks_->emplace(begin.job, false);
    submit_and_reply(desk_, to, meta, to_one_job(begin.job, std::move(begin.command)));
    desk_.engine.when_durable([this, id = begin.job](const Status&) {
      if (const auto task = tasks_->find(id); task != tasks_->end()) task->second = true;
    });
    return {};
  }
  LUZIA_TRY(rights_.may_go_on(caller, job, "report in the name of"));
  return report(to, meta, job, copy);
}

Status JobRequests::preview(const RequestId& to, const Caller& caller, const wire::PreviewPrompt& request) {
  auto jobs = std::make_shared<std::vector<std::unique_ptr<wire::DispatchJobT>>>();
  jobs->emplace_back(request.job()->UnPack());
  return queries_.when_current(to, [this, to, caller, jobs]() -> Status {
    LUZIA_TRY(flows_.name_in_full(caller, *jobs));
    const auto queued = LUZIA_TRY(intake_.queue_job(caller, *jobs->front(), wall_now()));
    prompts_.preview(to, std::get<QueueJob>(queued.command));
    return {};
  });
}

}  // namespace luzia
