#include "tools/luzia-web/actions.h"

#include <algorithm>
#include <array>

#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-web/push.h"
#include "tools/luzia-web/readings.h"
#include "tools/read/commands.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

using Body = nlohmann::json;

constexpr std::size_t kMostKeyChars = 128, kMostBatch = 1'000;

std::string text_in(const Body& body, const char* key) {
  return body.contains(key) ? body[key].get<std::string>() : std::string();
}
std::uint64_t whole_in(const Body& body, const char* key, std::uint64_t otherwise = 0) {
  return body.contains(key) ? body[key].get<std::uint64_t>() : otherwise;
}
bool flag_in(const Body& body, const char* key) {
  return body.contains(key) && body[key].get<bool>();
}
std::vector<std::string> texts_in(const Body& body, const char* key) {
  return body.contains(key) ? body[key].get<std::vector<std::string>>() : std::vector<std::string>();
}

/// A number that a smaller type holds.
template <class Number>
Result<Number> number_in(const Body& body, const char* key, Number otherwise, std::uint64_t most) {
  const std::uint64_t number = whole_in(body, key, otherwise);
  if (!body.contains(key) || number <= most) return static_cast<Number>(number);
  return fail(ErrorKind::usage, "bad_field",
              "the field " + std::string(key) + " must be at most " + std::to_string(most));
}

Result<wire::AcceptedT> accepted(const DaemonDoor& door, const std::string& device,
                                 const wire::RequestUnion& request) {
  auto reply = LUZIA_TRY(door.ask_as(device, request));
  if (const auto* accepted = reply->reply.AsAccepted()) return *accepted;
  return tl::unexpected(unexpected_answer());
}

Answer accepted_answer(const Result<wire::AcceptedT>& accepted, int status = 200) {
  if (!accepted) return problem(accepted.error());
  Answer answer;
  answer.status = status;
  JsonObject object(answer.body);
  object.strings("ids", accepted->ids);
  object.number("position", accepted->position);
  object.boolean("repeated", accepted->repeated);
  object.end();
  answer.body += '\n';
  answer.headers.emplace_back("Luzia-Position", std::to_string(accepted->position));
  return answer;
}

wire::JobAction job_action_of(std::string_view verb) {
  for (const wire::JobAction action : wire::EnumValuesJobAction()) {
    if (wire::EnumNameJobAction(action) == verb) return action;
  }
  return wire::JobAction::cancel;
}

wire::FlowAction flow_action_of(std::string_view verb) {
  if (verb == "approve") return wire::FlowAction::open_gate;
  for (const wire::FlowAction action : wire::EnumValuesFlowAction()) {
    if (wire::EnumNameFlowAction(action) == verb) return action;
  }
  return wire::FlowAction::deny_gate;
}

/// The last part of the address: what to do.
std::string_view verb_of(const Route& route) {
  return route.pattern.substr(route.pattern.rfind('/') + 1);
}

Result<wire::RequestUnion> act_on_job(const Match& match, const Body& body, const std::string& id) {
  wire::ActOnJobsT act;
  act.action = job_action_of(verb_of(*match.route));
  act.jobs = {match.values.find("job")->second};
  act.grace_ms = whole_in(body, "grace_ms", act.grace_ms);
  act.priority = LUZIA_TRY(number_in<std::uint8_t>(body, "priority", 0, 9));
  act.note = text_in(body, "note");
  act.fresh = flag_in(body, "fresh");
  act.message = text_in(body, "message");
  if (body.contains("message") && act.message.empty())
    return fail(ErrorKind::usage, "bad_field", "the field message is empty", "leave it out to say nothing");
  act.command_id = id;
  return request_of(std::move(act));
}

wire::RequestUnion tell_job(const Match& match, const Body& body, const std::string& id) {
  wire::TellJobT tell;
  tell.job = match.values.find("job")->second;
  tell.text = text_in(body, "text");
  tell.files = texts_in(body, "files");
  tell.resume = flag_in(body, "resume");
  tell.channel = "web";
  tell.command_id = id;
  return request_of(std::move(tell));
}

wire::RequestUnion act_on_queue(const Match& match, const Body& body, const std::string& id) {
  wire::ActOnQueueT act;
  act.action = verb_of(*match.route) == "pause" ? wire::QueueAction::pause : wire::QueueAction::resume;
  act.project = text_in(body, "project");
  act.note = text_in(body, "note");
  act.command_id = id;
  return request_of(std::move(act));
}

wire::RequestUnion act_on_schedule(const Match& match, const Body& body, const std::string& id) {
  wire::ActOnScheduleT act;
  const std::string_view verb = verb_of(*match.route);
  act.action = verb == "run"     ? wire::ScheduleAction::run
               : verb == "pause" ? wire::ScheduleAction::pause
                                 : wire::ScheduleAction::resume;
  act.schedule = match.values.find("schedule")->second;
  act.note = text_in(body, "note");
  act.command_id = id;
  return request_of(std::move(act));
}

/// A step of a flow. `name_key`: the field with its name.
Result<std::unique_ptr<wire::NewFlowStepT>> step_of(const Body& body, const char* name_key) {
  auto step = std::make_unique<wire::NewFlowStepT>();
  step->name = text_in(body, name_key);
  step->needs = texts_in(body, "needs");
  step->prompt = text_in(body, "prompt");
  step->agent = text_in(body, "agent");
  step->gate = text_in(body, "gate");
  step->description = text_in(body, "description");
  step->retries = LUZIA_TRY(number_in<std::uint32_t>(body, "retries", 0, 1'000));
  step->timeout_ms = whole_in(body, "timeout_ms");
  step->tags = texts_in(body, "tags");
  step->priority = LUZIA_TRY(number_in<std::uint8_t>(body, "priority", step->priority, 9));
  return step;
}

Result<std::unique_ptr<schema::FollowUpT>> follow_up_of(const Body& body) {
  auto it = std::make_unique<schema::FollowUpT>();
  it->text = text_in(body, "text");
  it->step = text_in(body, "after");
  const std::string when = text_in(body, "when");
  if (it->text.empty()) return fail(ErrorKind::usage, "bad_field", "a follow-up has an empty text");
  it->when = when == "failed" ? schema::StepState::failed : schema::StepState::completed;
  if (when.empty() || when == "completed" || when == "failed") return it;
  return fail(ErrorKind::usage, "bad_field", "the field when must be completed or failed");
}

Result<wire::RequestUnion> act_on_flow(const Match& match, const Body& body, const std::string& id) {
  wire::ActOnFlowT act;
  act.action = flow_action_of(verb_of(*match.route));
  act.flow = match.values.find("flow")->second;
  act.step = text_in(body, "step");
  for (const char* key : {"output", "error", "value", "note"}) {
    if (body.contains(key)) act.text = text_in(body, key);  // a route takes one of them
  }
  act.key = text_in(body, "key");
  act.tags = texts_in(body, "tags");
  if (act.action == wire::FlowAction::add) act.added = LUZIA_TRY(step_of(body, "step"));
  act.command_id = id;
  return request_of(std::move(act));
}

/// The job of an open prompt, or of one of the newest closed ones, so that the daemon can say who answered
/// it. `no_such_question`, `no_such_approval` (not_found).
template <class Row>
Result<std::string> job_of(const DaemonDoor& door, const std::string& device, wire::View view,
                           const std::string& id) {
  const auto source = LUZIA_TRY(door.source_as(device));
  for (const bool closed : {false, true}) {
    wire::QueryT query = view_query(view);
    query.filter->ended = closed;
    query.limit = static_cast<std::uint32_t>(kMaxLimit);
    const RowPage page = LUZIA_TRY(source->query(query));
    const auto rows = LUZIA_TRY(rows_of<Row>(page));
    for (const Row* row : rows) {
      if (text(row->id()) == id) return std::string(text(row->job()));
    }
  }
  const std::string what = view == wire::View::questions ? "question" : "approval";
  return fail(ErrorKind::not_found, "no_such_" + what, "there is no " + what + " " + id,
              "GET /v1/" + what + "s lists the open ones");
}

Result<wire::RequestUnion> answer_question(const DaemonDoor& door, const std::string& device,
                                           const Match& match, const Body& body, const std::string& id) {
  wire::AnswerQuestionT answer;
  answer.question = match.values.find("question")->second;
  answer.job = text_in(body, "job");
  if (answer.job.empty())
    answer.job = LUZIA_TRY(job_of<view::Question>(door, device, wire::View::questions, answer.question));
  answer.answer = text_in(body, "answer");
  answer.command_id = id;
  return request_of(std::move(answer));
}

Result<wire::RequestUnion> decide_approval(const DaemonDoor& door, const std::string& device,
                                           const Match& match, const Body& body, const std::string& id) {
  wire::DecideApprovalT decide;
  decide.gate = match.values.find("approval")->second;
  decide.job = text_in(body, "job");
  if (decide.job.empty())
    decide.job = LUZIA_TRY(job_of<view::Approval>(door, device, wire::View::approvals, decide.gate));
  decide.approve = flag_in(body, "approve");
  decide.note = text_in(body, "note");
  decide.remember = flag_in(body, "remember");
  decide.command_id = id;
  return request_of(std::move(decide));
}

wire::RequestUnion revoke(const Match& match, const Body& body, const std::string& id) {
  wire::RevokeDeviceT revoke;
  revoke.device = match.values.find("device")->second;
  revoke.note = text_in(body, "note");
  revoke.command_id = id;
  return request_of(std::move(revoke));
}

Result<wire::RequestUnion> dispatch_batch(const Body& body, const std::string& id) {
  wire::DispatchT dispatch;
  if (body["jobs"].empty() || body["jobs"].size() > kMostBatch)
    return fail(ErrorKind::usage, "bad_field", "jobs: 1 to " + std::to_string(kMostBatch) + " of them");
  for (const Body& each : body["jobs"]) {
    auto wanted = LUZIA_TRY(dispatch_of(each, id + "-" + std::to_string(dispatch.jobs.size())));
    dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(wanted)));
  }
  return request_of(std::move(dispatch));
}

/// Sends a request that makes something, and answers with its row, as `command` prints it.
Answer create(const DaemonDoor& door, const std::string& device, const Result<wire::RequestUnion>& request,
              const std::string& place, const Command& command) {
  if (!request) return problem(request.error());
  const auto done = accepted(door, device, *request);
  if (!done) return problem(done.error());
  Answer answer;
  answer.status = 201;
  answer.headers = {{"Location", place + done->ids.front()},
                    {"Luzia-Position", std::to_string(done->position)}};
  auto row = run_command(place_at(door, device), command, {"--", done->ids.front()});
  if (!row) return problem(row.error());
  answer.body = std::move(*row);
  return answer;
}

Result<wire::RequestUnion> dispatch_one(const Body& body, const std::string& id) {
  wire::DispatchT dispatch;
  auto job = LUZIA_TRY(dispatch_of(body, id));
  dispatch.jobs.push_back(std::make_unique<wire::DispatchJobT>(std::move(job)));
  return request_of(std::move(dispatch));
}

Result<wire::RequestUnion> new_flow(const Body& body, const std::string& id) {
  auto flow = LUZIA_TRY(flow_of(body, id));
  return request_of(std::move(flow));
}

}  // namespace

Result<wire::RequestUnion> request_for(const DaemonDoor& door, const std::string& device, const Match& match,
                                       const Body& body, const std::string& id) {
  switch (match.route->handler) {
    case Handler::act_on_job:
      return act_on_job(match, body, id);
    case Handler::tell:
      return tell_job(match, body, id);
    case Handler::act_on_queue:
      return act_on_queue(match, body, id);
    case Handler::act_on_flow:
      return act_on_flow(match, body, id);
    case Handler::act_on_schedule:
      return act_on_schedule(match, body, id);
    case Handler::answer:
      return answer_question(door, device, match, body, id);
    case Handler::decide:
      return decide_approval(door, device, match, body, id);
    case Handler::revoke:
      return revoke(match, body, id);
    case Handler::batch:
      return dispatch_batch(body, id);
    case Handler::push_change:
      return push_change(match, body, id);
    case Handler::dispatch:
    case Handler::create_flow:
    case Handler::health:
    case Handler::metrics:
    case Handler::openapi:
    case Handler::pair:
    case Handler::me:
    case Handler::read:
    case Handler::events:
    case Handler::output:
    case Handler::prompt:
    case Handler::find:
    case Handler::search:
    case Handler::changes:
    case Handler::projects:
    case Handler::agents:
    case Handler::machine:
    case Handler::machines:
    case Handler::fleet:
    case Handler::offer_pairing:
    case Handler::push_state:
    case Handler::push_test:
      break;
  }
  return fail(ErrorKind::not_found, "no_such_route", "this address changes nothing");
}

Result<std::string> command_id_of(const std::string& device, const Request& request) {
  const std::string_view key = request.header("idempotency-key");
  if (key.empty())
    return fail(ErrorKind::usage, "idempotency_key_missing", "the request has no Idempotency-Key",
                "send a new random one with each command, and the same one to repeat it");
  const bool plain = std::ranges::all_of(key, [](char each) { return each > ' ' && each < 0x7f; });
  if (!plain || key.size() > kMostKeyChars)
    return fail(ErrorKind::usage, "bad_idempotency_key",
                "Idempotency-Key has 1 to " + std::to_string(kMostKeyChars) + " characters, without blanks");
  return device + ":" + std::string(key);
}

Result<wire::DispatchJobT> dispatch_of(const Body& body, const std::string& command_id) {
  wire::DispatchJobT job;
  job.project = text_in(body, "project");
  job.task = text_in(body, "task");
  job.agent = text_in(body, "agent");
  job.priority = LUZIA_TRY(number_in<std::uint8_t>(body, "priority", job.priority, 9));
  job.after = texts_in(body, "after");
  job.tags = texts_in(body, "tags");
  job.timeout_ms = whole_in(body, "timeout_ms");
  job.budget_time_ms = whole_in(body, "budget_time_ms");
  job.budget_cost_usd = body.contains("budget_cost_usd") ? body["budget_cost_usd"].get<double>() : 0;
  job.budget_tokens = whole_in(body, "budget_tokens");
  job.memory_bytes = whole_in(body, "memory_bytes");
  job.cpu_percent = LUZIA_TRY(number_in<std::uint32_t>(body, "cpu_percent", 0, 1'000'000));
  job.most_processes = LUZIA_TRY(number_in<std::uint32_t>(body, "processes", 0, 4'194'304));
  job.disk_bytes = whole_in(body, "disk_bytes");
  job.retries = LUZIA_TRY(number_in<std::uint32_t>(body, "retries", job.retries, 1'000));
  job.estimate_ms = whole_in(body, "estimate_ms");
  job.worktree = flag_in(body, "worktree");
  job.prompt_template = text_in(body, "prompt_template");
  job.permissions = text_in(body, "permissions");
  job.sandbox = text_in(body, "sandbox");
  job.gates = texts_in(body, "gates");
  job.verify = texts_in(body, "verify");
  job.callback_url = text_in(body, "callback_url");
  job.command_id = command_id;
  static constexpr std::array<std::string_view, 4> kPermissions{"", "plan", "ask", "edits"};
  if (std::ranges::find(kPermissions, job.permissions) == kPermissions.end())
    return fail(ErrorKind::refused, "not_from_the_web",
                "a device may give an agent the permissions plan, ask or edits",
                "dispatch it with luzia instead");
  return job;
}

Result<wire::CreateFlowT> flow_of(const Body& body, const std::string& command_id) {
  wire::CreateFlowT flow;
  flow.project = text_in(body, "project");
  flow.description = text_in(body, "description");
  flow.tags = texts_in(body, "tags");
  flow.runs = true;
  flow.max_running = LUZIA_TRY(number_in<std::uint32_t>(body, "max_running", 0, 10'000));
  flow.keep_going = flag_in(body, "keep_going");
  flow.command_id = command_id;
  for (const Body& each : body["steps"]) {
    auto step = LUZIA_TRY(step_of(each, "name"));
    if (step->agent.empty()) step->agent = text_in(body, "agent");
    if (each.contains("prompt") && step->prompt.find_first_not_of(" \t\r\n") == std::string::npos)
      return fail(ErrorKind::usage, "empty_task", "the prompt of step '" + step->name + "' is empty",
                  "say what the step's agent should do, or leave it out: then people do the step");
    flow.steps.push_back(std::move(step));
  }
  const Body none = Body::array();
  for (const Body& each : body.contains("follow_ups") ? body["follow_ups"] : none) {
    auto it = LUZIA_TRY(follow_up_of(each));
    flow.follow_ups.push_back(std::move(it));
  }
  return flow;
}

Answer act(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request) {
  const auto id = command_id_of(device, request);
  if (!id) return problem(id.error());
  const auto body = checked_body(*match.route, request.body);
  if (!body) return problem(body.error());
  if (match.route->handler == Handler::dispatch)
    return create(door, device, dispatch_one(*body, *id), "/v1/jobs/", kJobCommand);
  if (match.route->handler == Handler::create_flow)
    return create(door, device, new_flow(*body, *id), "/v1/flows/", kFlowCardCommand);
  const auto wanted = request_for(door, device, match, *body, *id);
  return wanted ? accepted_answer(accepted(door, device, *wanted), match.route->success)
                : problem(wanted.error());
}

bool is_for_far(const Route& route, const Request& request) {
  if (route.handler != Handler::answer && route.handler != Handler::decide) return false;
  const auto body = checked_body(route, request.body);
  const std::string machine = body ? text_in(*body, "machine") : std::string();
  return !machine.empty() && machine != kThisMachine;
}

Answer act_far(const FarMachines& machines, const DaemonDoor& door, const Device& device, const Match& match,
               const Request& request) {
  const Status may = may_ask_far(door, device);
  if (!may) return problem(may.error());
  const auto id = command_id_of(device.id, request);
  if (!id) return problem(id.error());
  const auto body = checked_body(*match.route, request.body);
  if (!body) return problem(body.error());
  if (text_in(*body, "job").empty())
    return problem({ErrorKind::usage, "bad_field", "the body lacks the field job",
                    "with machine it names the job that asks"});
  const auto wanted = request_for(door, device.id, match, *body, *id);
  if (!wanted) return problem(wanted.error());
  const auto reply = machines.ask(text_in(*body, "machine"), *wanted);
  if (!reply) return problem(reply.error());
  const auto* done = (*reply)->reply.AsAccepted();
  if (done == nullptr) return problem(unexpected_answer());
  Answer answer = accepted_answer(*done, match.route->success);
  answer.headers.clear();  // its position is of another log
  return answer;
}

}  // namespace luzia::web
