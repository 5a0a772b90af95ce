#include "tools/luziad/inputs/inputs.h"

#include <algorithm>
#include <vector>

#include "engine/job/input_state.h"
#include "engine/job/input_text.h"
#include "projections/inputs.h"
#include "projections/rows/row_bytes.h"
#include "projections/stream_events.h"
#include "tools/luziad/attempts/launch_work.h"
#include "tools/luziad/base/command_meta.h"
#include "tools/luziad/inputs/input_rows.h"
#include "tools/luziad/inputs/prompt_commands.h"

namespace luzia {
namespace {

/// The native form of a request, shared with callbacks that run later.
template <class Request>
auto copy_of(const Request& request) {
  return std::shared_ptr<typename Request::NativeTableType>(request.UnPack());
}

Error no_such_input(const std::string& job, const std::string& id) {
  const bool approval = kind_of_input(id) == view::InputKind::approval;
  return {ErrorKind::not_found, approval ? "no_such_approval" : "no_such_question",
          "job " + job + " has no " + (approval ? "approval" : "question") + " '" + id + "'",
          approval ? "luzia approvals lists what is open" : "luzia questions lists what is open"};
}

bool has_gates(const Config& config) {
  return std::ranges::any_of(config.projects,
                             [](const auto& project) { return !project.second.gates.empty(); });
}

CallPlace place_of(const JobState* job, const std::string& cwd) {
  CallPlace place{cwd};
  if (job == nullptr) return place;
  place.home = job->spec->home;
  place.folder = attempt_directory(*job->spec);
  return place;
}

constexpr std::size_t kMostPersonBytes = 200;

/// A program with the daemon's account may name the person for whom it acts.
template <class Native>
Result<CommandMeta> meta_of_person(const Caller& caller, const Native& request) {
  CommandMeta meta = meta_of(caller, request, schema::ActorKind::person);
  if (request.person.empty()) return meta;
  if (!caller.trusted || caller.device) {
    return fail(ErrorKind::refused, "not_allowed", caller.name + " may not speak in another's name",
                "leave the name out: the daemon knows who you are");
  }
  if (request.person.size() > kMostPersonBytes || request.person.find('\0') != std::string::npos) {
    return fail(ErrorKind::usage, "bad_person",
                "the name of who decides is over " + std::to_string(kMostPersonBytes) +
                    " bytes or contains a NUL character",
                "give a shorter one");
  }
  meta.actor_name = request.person;
  return meta;
}

}  // namespace

Status Inputs::with_job(const RequestId& to, const Caller& caller, const std::string& name, OfJob then) {
  // An agent uses its job's full id: no lookup needed.
  if ((caller.trusted && is_job_id(name)) || caller.speaks_for(name)) return then(name);
  return queries_.resolve(to, {name}, caller,
                          [then = std::move(then)](const auto& ids) { return then(ids.front()); });
}

Status Inputs::with_own_job(const RequestId& to, const Caller& caller, const std::string& name,
                            const std::string& what, OfJob then) {
  return with_job(to, caller, name,
                  [this, caller, what, then = std::move(then)](const std::string& job) -> Status {
                    LUZIA_TRY(rights_.may_go_on(caller, job, what));
                    return then(job);
                  });
}

Status Inputs::submit(const RequestId& to, const CommandMeta& meta, const std::string& job,
                      JobCommand command, std::string input) {
  const auto accept = [this, to, input = std::move(input)](const Result<Outcome>& outcome) -> Status {
    if (!outcome) return tl::unexpected(outcome.error());
    wire::AcceptedT accepted;
    accepted.ids = {input};
    accepted.position = outcome->position;
    accepted.repeated = outcome->repeated;
    if (outcome->repeated) {
      LUZIA_TRY(visit_events(store_.log, {outcome->position}, [&](const schema::Event& event, Bytes) {
        if (const auto id = input_of_event(event); !id.empty()) accepted.ids = {std::string(id)};
        return false;
      }));
    }
    return send_reply(desk_, to, std::move(accepted));
  };
  desk_.engine.submit(
      meta, to_one_job(job, std::move(command)),
      [this, to, accept](const Result<Outcome>& outcome) { refuse_unless(desk_, to, accept(outcome)); });
  return {};
}

std::string Inputs::full_name(const std::string& job, view::InputKind kind, const std::string& name) const {
  const JobState* state = desk_.engine.find_live(job);
  if (state == nullptr) return name;
  std::vector<std::string> ids, gates, fitting;
  for (const auto& input : state->inputs) {
    if (input->kind != kind || !is_open(*input)) continue;
    ids.push_back(input->id);
    gates.push_back(input->gate);
    if (name.empty() || input->id.starts_with(name) || input->gate == name) fitting.push_back(input->id);
  }
  if (fitting.size() == 1) return fitting.front();
  const std::size_t picked = fitting.empty() ? pick_name(gates, name) : std::string::npos;
  return picked == std::string::npos ? name : ids[picked];
}

// ------------------------------------------------------------------------------------------- commands

Status Inputs::ask(const RequestId& to, const Caller& caller, const wire::AskQuestion& request) {
  const auto copy = copy_of(request);
  // A client that did not wait may come for the answer later: that is the same question.
  wire::AskQuestionT asked = *copy;
  asked.unattended = false;
  CommandMeta meta = meta_of(caller, asked, schema::ActorKind::agent);
  const auto submit_it = [this, to, copy, meta](const std::string& job) mutable -> Status {
    meta.now = wall_now();
    const JobState* state = desk_.engine.find_live(job);
    const AskingJob asking = state == nullptr ? AskingJob{} : asking_job(*state);
    auto question = LUZIA_TRY(make_question(desk_.config, ids_, *copy, meta.now, asking));
    std::string id = question.id;
    return submit(to, meta, job, std::move(question), std::move(id));
  };
  return with_own_job(to, caller, copy->job, "ask in the name of", submit_it);
}

Status Inputs::request_approval(const RequestId& to, const Caller& caller,
                                const wire::RequestApproval& request) {
  const auto copy = copy_of(request);
  // A resumed session may be in another folder: its call is the same one.
  wire::RequestApprovalT asked = *copy;
  asked.cwd.clear();
  CommandMeta meta = meta_of(caller, asked, schema::ActorKind::agent);
  const auto submit_it = [this, to, copy, meta](const std::string& job) mutable -> Status {
    meta.now = wall_now();
    const JobState* state = desk_.engine.find_live(job);
    const AskingJob asking = state == nullptr ? AskingJob{} : asking_job(*state);
    const CallPlace place = place_of(state, copy->cwd);
    // A hook asks about every tool call of its agent. If no gate applies, nothing is recorded. For a job that
    // is over, it is no longer known which gates applied.
    const bool by_hook = copy->source == "hook";
    const bool is_over = state == nullptr || is_terminal(state->state);
    if (by_hook && is_over && has_gates(desk_.config)) {
      return fail(ErrorKind::refused, "not_running",
                  "job " + job + " is not running here: no gate can be asked about what it does",
                  "outside of jobs LUZIA_JOB_ID is not set");
    }
    if (by_hook && !is_gated(desk_.config, asking.project, state, *copy, place)) {
      return send_reply(desk_, to, wire::AcceptedT{});
    }
    auto approval = LUZIA_TRY(make_approval(desk_.config, ids_, asking, *copy, meta.now, place));
    std::string id = approval.id;
    return submit(to, meta, job, std::move(approval), std::move(id));
  };
  return with_own_job(to, caller, copy->job, "ask in the name of", submit_it);
}

Status Inputs::with_others_job(const RequestId& to, const Caller& caller, const std::string& name,
                               const std::string& what, OfJob then) {
  const auto unless_own = [own = caller.job, what, then = std::move(then)](const std::string& job) -> Status {
    if (job != own) return then(job);
    return fail(ErrorKind::refused, "own_job", "the agent of job " + job + " may not " + what + " it",
                "a person does, outside of the job");
  };
  return with_own_job(to, caller, name, what, unless_own);
}

Inputs::OfJob Inputs::about_input(const RequestId& to, CommandMeta meta, view::InputKind kind,
                                  std::string name, std::function<Result<JobCommand>()> command) {
  return [this, to, meta = std::move(meta), kind, name = std::move(name),
          command = std::move(command)](const std::string& job) mutable -> Status {
    meta.now = wall_now();
    auto made = LUZIA_TRY(command());
    return submit(to, meta, job, std::move(made), full_name(job, kind, name));
  };
}

Inputs::OfJob Inputs::if_ordered(const std::string& order, OfJob then) {
  if (order.empty()) return then;
  return [this, then = std::move(then)](const std::string& job) -> Status {
    LUZIA_TRY(rights_.may_order(job));
    return then(job);
  };
}

Status Inputs::answer(const RequestId& to, const Caller& caller, const wire::AnswerQuestion& request) {
  const auto copy = copy_of(request);
  const CommandMeta meta = LUZIA_TRY(meta_of_person(caller, *copy));
  const auto command = [copy]() -> Result<JobCommand> { return make_answer(*copy); };
  auto then = about_input(to, meta, view::InputKind::question, copy->question, command);
  return with_others_job(to, caller, copy->job, "answer", if_ordered(copy->order, std::move(then)));
}

Status Inputs::cancel(const RequestId& to, const Caller& caller, const wire::CancelQuestion& request) {
  const auto copy = copy_of(request);
  const CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  const auto command = [copy] { return JobCommand(CancelQuestion{copy->question, copy->reason}); };
  return with_own_job(to, caller, copy->job, "cancel a question of",
                      about_input(to, meta, view::InputKind::question, copy->question, command));
}

Status Inputs::decide(const RequestId& to, const Caller& caller, const wire::DecideApproval& request) {
  const auto copy = copy_of(request);
  const CommandMeta meta = LUZIA_TRY(meta_of_person(caller, *copy));
  const auto command = [copy] {
    return JobCommand(DecideApproval{copy->gate, copy->approve, copy->note, copy->remember});
  };
  auto then = about_input(to, meta, view::InputKind::approval, copy->gate, command);
  return with_others_job(to, caller, copy->job, "decide about a gate of",
                         if_ordered(copy->order, std::move(then)));
}

Status Inputs::withdraw(const RequestId& to, const Caller& caller, const wire::CancelApproval& request) {
  const auto copy = copy_of(request);
  const CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  const auto command = [copy] { return JobCommand(CancelApproval{copy->approval, copy->reason}); };
  return with_own_job(to, caller, copy->job, "cancel an approval of",
                      about_input(to, meta, view::InputKind::approval, copy->approval, command));
}

Status Inputs::confirm(const RequestId& to, const Caller& caller, const wire::ConfirmDelivery& request) {
  const auto copy = copy_of(request);
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::agent);
  if (!copy->channel.empty() && copy->channel != "client") {
    return fail(ErrorKind::usage, "bad_channel",
                "'" + copy->channel + "' cannot be how a program got its answer", "known: client");
  }
  return with_own_job(to, caller, copy->job, "speak for", [this, to, copy, meta](const auto& job) mutable {
    meta.now = wall_now();
    return submit(to, meta, job, ConfirmDelivery{copy->id, "client"}, copy->id);
  });
}

Status Inputs::note_workspace(const RequestId& to, const Caller& caller, const wire::NoteWorkspace& request) {
  const auto copy = copy_of(request);
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  // Nor does one that only a newer client knows count: its event would be broken, and so would be the log.
  if (copy->fact.value == nullptr) {
    return fail(ErrorKind::usage, "no_fact", "nothing this daemon knows is said about the job's files");
  }
  return with_own_job(to, caller, copy->job, "speak for", [this, to, copy, meta](const auto& job) mutable {
    meta.now = wall_now();
    return submit(to, meta, job, NoteWorkspace{copy->fact}, job);
  });
}

// ------------------------------------------------------------------------------------------ waiting

Status Inputs::await(const RequestId& to, const Caller& caller, const wire::AwaitInput& request) {
  const auto wait = [this, to, id = std::string(text(request.id())),
                     timeout = request.timeout_ms()](const std::string& job) {
    return register_waiting(to, Waiting{job, id, nullptr}, timeout);
  };
  return with_job(to, caller, std::string(text(request.job())), wait);
}

Status Inputs::register_waiting(const RequestId& to, Waiting waiting, std::uint64_t timeout_ms) {
  LUZIA_TRY(may_subscribe(desk_, to, waits_));
  const JobState* job = desk_.engine.find_live(waiting.job);
  const view::InputRequestT* input = job == nullptr ? nullptr : find_input(*job, waiting.id);
  Waiting& stored = waits_.insert_or_assign(to, std::move(waiting)).first->second;
  // The request is over, durably or not, or no longer in memory: current rows include its end.
  if (input == nullptr || !is_open(*input)) {
    finish_wait(to);
  } else if (timeout_ms > 0) {
    stored.timer = std::make_unique<Timer>(threads_.loop);
    stored.timer->start(timeout_ms, [this, to] { finish_wait(to); });
  }
  return {};
}

void Inputs::finish_wait(const RequestId& to) {
  const auto node = waits_.extract(to);
  if (!node.empty()) send_row(to, node.mapped().job, node.mapped().id);
}

void Inputs::send_row(const RequestId& to, const std::string& job, const std::string& id) {
  queries_.when_current(to, [this, to, job, id]() -> Status {
    struct Work {
      std::unique_ptr<ViewReader> rows;
      Result<std::string> row = std::string();
    };
    auto work = std::make_shared<Work>(Work{store_.views.snapshot()});
    const bool approval = kind_of_input(id) == view::InputKind::approval;
    const auto read = [this, work, job, id, approval] {
      const auto bytes_of = [&](const auto& found) -> Result<std::string> {
        if (!found) return tl::unexpected(found.error());
        if (!*found) return tl::unexpected(no_such_input(job, id));
        return row_bytes(**found);
      };
      work->row = approval ? bytes_of(read_approval(*work->rows, store_.log, job, id))
                           : bytes_of(read_question(*work->rows, store_.log, job, id));
    };
    threads_.workers.run(read, [this, to, work, approval] {
      if (!work->row) return refuse(desk_, to, work->row.error());
      const auto type = approval ? wire::RowType::approval : wire::RowType::question;
      send_reply(desk_, to, rows_reply({type, {std::move(*work->row)}, {}, work->rows->cursor().position}));
    });
    return {};
  });
}

void Inputs::job_changed(const JobState& job) {
  if (is_terminal(job.state)) hooked_.erase(job.job);
  std::vector<RequestId> over;
  for (const auto& [to, waiting] : waits_) {
    if (waiting.job != job.job) continue;
    const view::InputRequestT* input = find_input(job, waiting.id);
    if (input == nullptr || !is_open(*input)) over.push_back(to);
  }
  for (const RequestId& to : over) finish_wait(to);
}

}  // namespace luzia
