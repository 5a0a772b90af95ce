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
#include "tools/luziad/inputs/input_orders.h"
#include "tools/luziad/inputs/input_rows.h"

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

Error not_running(const std::string& job) {
  return {ErrorKind::refused, "not_running",
          "job " + job + " is not running here: no gate can be asked about what it does",
          "outside of jobs LUZIA_JOB_ID is not set"};
}

}  // namespace

void Inputs::with_job(const RequestId& to, const Caller& caller, const std::string& name, OfJob then) {
  // An agent uses its job's full id: no lookup needed.
  if ((caller.trusted && is_job_id(name)) || caller.speaks_for(name)) return then(name);
  queries_.resolve({name}, caller, [this, to, then = std::move(then)](auto ids) {
    if (!ids) return refuse(desk_, to, ids.error());
    then(ids->front());
  });
}

void Inputs::with_own_job(const RequestId& to, const Caller& caller, const std::string& name,
                          const std::string& what, OfJob then) {
  with_job(to, caller, name, [this, to, caller, what, then = std::move(then)](const std::string& job) {
    if (Status may = rights_.may_go_on(caller, job, what); !may) return refuse(desk_, to, may.error());
    then(job);
  });
}

void Inputs::submit(const RequestId& to, const CommandMeta& meta, const std::string& job, JobCommand command,
                    std::string input) {
  auto orders = one_order(job, std::move(command));
  desk_.engine.submit(
      meta, std::move(orders), [this, to, input = std::move(input)](const Result<Outcome>& outcome) {
        if (!outcome) return refuse(desk_, to, outcome.error());
        wire::AcceptedT accepted;
        accepted.ids = {input};
        accepted.position = outcome->position;
        accepted.repeated = outcome->repeated;
        if (outcome->repeated) {
          const Status read =
              visit_events(store_.log, {outcome->position}, [&](const schema::Event& event, Bytes) {
                if (const auto id = input_of_event(event); !id.empty()) accepted.ids = {std::string(id)};
                return false;
              });
          if (!read) return refuse(desk_, to, read.error());
        }
        send_reply(desk_, to, std::move(accepted));
      });
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

void Inputs::ask(const RequestId& to, const Caller& caller, const wire::AskQuestion& request) {
  const auto copy = copy_of(request);
  // A client that did not wait may come for the answer later: that is the same question.
  wire::AskQuestionT asked = *copy;
  asked.unattended = false;
  CommandMeta meta = meta_of(caller, asked, schema::ActorKind::agent);
  with_own_job(to, caller, copy->job, "ask in the name of",
               [this, to, copy, meta](const std::string& job) mutable {
                 meta.now = wall_now();
                 const JobState* state = desk_.engine.find_live(job);
                 const AskingJob asking = state == nullptr ? AskingJob{} : asking_job(*state);
                 auto order = ask_order(desk_.config, ids_, *copy, meta.now, asking);
                 if (!order) return refuse(desk_, to, order.error());
                 std::string id = order->id;
                 submit(to, meta, job, std::move(*order), std::move(id));
               });
}

void Inputs::request_approval(const RequestId& to, const Caller& caller,
                              const wire::RequestApproval& request) {
  const auto copy = copy_of(request);
  // A resumed session may be in another folder: its call is the same one.
  wire::RequestApprovalT asked = *copy;
  asked.cwd.clear();
  CommandMeta meta = meta_of(caller, asked, schema::ActorKind::agent);
  with_own_job(to, caller, copy->job, "ask in the name of",
               [this, to, copy, meta](const std::string& job) mutable {
                 meta.now = wall_now();
                 const JobState* state = desk_.engine.find_live(job);
                 const std::string project = state == nullptr ? std::string() : state->spec->project;
                 const CallPlace place = place_of(state, copy->cwd);
                 // A hook asks about every tool call of its agent. If no gate applies, nothing is recorded.
                 // For a job that is over, it is no longer known which gates applied.
                 const bool by_hook = copy->source == "hook";
                 const bool is_over = state == nullptr || is_terminal(state->state);
                 if (by_hook && is_over && has_gates(desk_.config))
                   return refuse(desk_, to, not_running(job));
                 if (by_hook && !is_gated(desk_.config, project, state, *copy, place)) {
                   return send_reply(desk_, to, wire::AcceptedT{});
                 }
                 const AskingJob asking = state == nullptr ? AskingJob{} : asking_job(*state);
                 auto order = approval_order(desk_.config, ids_, asking, *copy, meta.now, place);
                 if (!order) return refuse(desk_, to, order.error());
                 std::string id = order->id;
                 submit(to, meta, job, std::move(*order), std::move(id));
               });
}

namespace {

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

void Inputs::with_others_job(const RequestId& to, const Caller& caller, const std::string& name,
                             const std::string& what, OfJob then) {
  with_own_job(to, caller, name, what,
               [this, to, own = caller.job, what, then = std::move(then)](const std::string& job) {
                 if (job != own) return then(job);
                 refuse(
                     desk_, to,
                     {ErrorKind::refused, "own_job", "the agent of job " + job + " may not " + what + " it",
                      "a person does, outside of the job"});
               });
}

void Inputs::answer(const RequestId& to, const Caller& caller, const wire::AnswerQuestion& request) {
  const auto copy = copy_of(request);
  const auto said = meta_of_person(caller, *copy);
  if (!said) return refuse(desk_, to, said.error());
  CommandMeta meta = *said;
  with_others_job(to, caller, copy->job, "answer", [this, to, copy, meta](const std::string& job) mutable {
    meta.now = wall_now();
    auto order = answer_order(*copy);
    if (!order) return refuse(desk_, to, order.error());
    std::string id = full_name(job, view::InputKind::question, copy->question);
    submit(to, meta, job, std::move(*order), std::move(id));
  });
}

void Inputs::cancel(const RequestId& to, const Caller& caller, const wire::CancelQuestion& request) {
  const auto copy = copy_of(request);
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  with_own_job(to, caller, copy->job, "cancel a question of",
               [this, to, copy, meta](const std::string& job) mutable {
                 meta.now = wall_now();
                 std::string id = full_name(job, view::InputKind::question, copy->question);
                 submit(to, meta, job, CancelQuestion{copy->question, copy->reason}, std::move(id));
               });
}

void Inputs::decide(const RequestId& to, const Caller& caller, const wire::DecideApproval& request) {
  const auto copy = copy_of(request);
  const auto said = meta_of_person(caller, *copy);
  if (!said) return refuse(desk_, to, said.error());
  CommandMeta meta = *said;
  with_others_job(to, caller, copy->job, "decide about a gate of",
                  [this, to, copy, meta](const std::string& job) mutable {
                    meta.now = wall_now();
                    std::string id = full_name(job, view::InputKind::approval, copy->gate);
                    submit(to, meta, job,
                           DecideApproval{copy->gate, copy->approve, copy->note, copy->remember},
                           std::move(id));
                  });
}

void Inputs::withdraw(const RequestId& to, const Caller& caller, const wire::CancelApproval& request) {
  const auto copy = copy_of(request);
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  with_own_job(to, caller, copy->job, "cancel an approval of",
               [this, to, copy, meta](const std::string& job) mutable {
                 meta.now = wall_now();
                 std::string id = full_name(job, view::InputKind::approval, copy->approval);
                 submit(to, meta, job, CancelApproval{copy->approval, copy->reason}, std::move(id));
               });
}

void Inputs::confirm(const RequestId& to, const Caller& caller, const wire::ConfirmDelivery& request) {
  const auto copy = copy_of(request);
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::agent);
  if (!copy->channel.empty() && copy->channel != "client") {
    return refuse(desk_, to,
                  {ErrorKind::usage, "bad_channel",
                   "'" + copy->channel + "' cannot be how a program got its answer", "known: client"});
  }
  with_own_job(to, caller, copy->job, "speak for", [this, to, copy, meta](const std::string& job) mutable {
    meta.now = wall_now();
    submit(to, meta, job, ConfirmDelivery{copy->id, "client"}, copy->id);
  });
}

void Inputs::note_workspace(const RequestId& to, const Caller& caller, const wire::NoteWorkspace& request) {
  const auto copy = copy_of(request);
  CommandMeta meta = meta_of(caller, *copy, schema::ActorKind::person);
  if (copy->fact.type == schema::WorkspaceFact::NONE) {
    return refuse(desk_, to, {ErrorKind::usage, "no_fact", "nothing is said about the job's files", ""});
  }
  with_own_job(to, caller, copy->job, "speak for", [this, to, copy, meta](const std::string& job) mutable {
    meta.now = wall_now();
    submit(to, meta, job, NoteWorkspace{copy->fact}, job);
  });
}

// ------------------------------------------------------------------------------------------ waiting

void Inputs::await(const RequestId& to, const Caller& caller, const wire::AwaitInput& request) {
  auto waiting = std::make_shared<Waiting>(Waiting{{}, std::string(text(request.id())), nullptr});
  const std::string name(text(request.job()));
  with_job(to, caller, name, [this, to, waiting, timeout = request.timeout_ms()](const std::string& job) {
    waiting->job = job;
    register_waiting(to, std::move(*waiting), timeout);
  });
}

void Inputs::register_waiting(const RequestId& to, Waiting waiting, std::uint64_t timeout_ms) {
  if (auto may = may_subscribe(desk_, to, waits_); !may) return refuse(desk_, to, may.error());
  const JobState* job = desk_.engine.find_live(waiting.job);
  const view::InputRequestT* input = job == nullptr ? nullptr : find_input(*job, waiting.id);
  Waiting& stored = waits_.insert_or_assign(to, std::move(waiting)).first->second;
  // The request is over, durably or not, or no longer in memory: current rows include its end.
  if (input == nullptr || !is_open(*input)) return tell(to);
  if (timeout_ms > 0) {
    stored.timer = std::make_unique<Timer>(threads_.loop);
    stored.timer->start(timeout_ms, [this, to] { tell(to); });
  }
}

void Inputs::tell(const RequestId& to) {
  const auto node = waits_.extract(to);
  if (!node.empty()) send_row(to, node.mapped().job, node.mapped().id);
}

void Inputs::send_row(const RequestId& to, const std::string& job, const std::string& id) {
  queries_.when_current([this, to, job, id](const Status& status) {
    if (!status) return refuse(desk_, to, status.error());
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
  });
}

void Inputs::job_changed(const JobState& job) {
  std::vector<RequestId> over;
  for (const auto& [to, waiting] : waits_) {
    if (waiting.job != job.job) continue;
    const view::InputRequestT* input = find_input(job, waiting.id);
    if (input == nullptr || !is_open(*input)) over.push_back(to);
  }
  for (const RequestId& to : over) tell(to);
}

}  // namespace luzia
