#include "tools/luzia/agents/mcp/daemon_door.h"

#include "engine/base/try.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"

namespace luzia::mcp {
namespace {

constexpr std::chrono::seconds kTellEvery{30};
constexpr std::uint32_t kMostRows = 20;
constexpr const char* kWithdrawn = "the agent's program cancelled the call";

tl::unexpected<Error> no_job() {
  return fail(ErrorKind::usage, "no_job", "this agent runs outside a Luzia job: $LUZIA_JOB_ID is not set",
              "dispatch the task with luzia PROJECT \"TASK\"");
}

Patience patience_of(const CallWait& wait) {
  return {.stop_fd = wait.stop.fd(), .tick = kTellEvery, .on_tick = wait.on_tick};
}

}  // namespace

DaemonDoor::DaemonDoor(Invocation& invocation)
    : invocation_(invocation), own_(own_job()), reports_(new_link()) {}

DaemonLink DaemonDoor::new_link() {
  return DaemonLink([this] {
    const std::lock_guard lock(connecting_);
    return invocation_.connect(WhenAbsent::complain);
  });
}

Status DaemonDoor::report(schema::ReportFactUnion fact) {
  if (own_.job.empty()) return no_job();
  if (!own_.attempt) return tl::unexpected(own_.attempt.error());
  wire::PublishT request;
  request.job = own_.job;
  request.attempt = *own_.attempt;
  request.report = std::move(fact);
  request.command_id = fresh_command_id();
  const auto accepted = reports_.send(request_of(std::move(request)));
  return accepted ? Status() : tl::unexpected(accepted.error());
}

ToldWords DaemonDoor::told() {
  if (own_.job.empty() || !own_.attempt) return {};
  // The link lives as long as what may still be confirmed.
  const auto link = std::make_shared<DaemonLink>(new_link());
  const auto send = [link](const wire::RequestUnion& request) { return link->send(request); };
  ToldWords told = take_told(send, own_, "tool").value_or(ToldWords());
  told.text = fit_for_model(std::move(told.text));
  return told;
}

Result<Page> DaemonDoor::read(const wire::QueryT& query) {
  const bool was_open = reads_.has_value();
  if (!was_open) {
    const std::lock_guard lock(connecting_);
    reads_ = LUZIA_TRY(invocation_.connect(WhenAbsent::complain));
  }
  auto page = ask_rows(*reads_, query);
  if (page || page.error().kind != ErrorKind::trouble) return page;
  // The daemon may have been restarted since the last question.
  reads_.reset();
  return was_open ? read(query) : std::move(page);
}

Result<Page> DaemonDoor::rows_about(const std::string& name, wire::View view, bool ended) {
  if (name.empty() && own_.job.empty()) return no_job();
  wire::QueryT query = view_query(view);
  query.limit = kMostRows;
  query.filter->ended = ended;
  if (name != "*") query.filter->jobs = {name.empty() ? own_.job : name};
  return read(query);
}

Result<std::string> DaemonDoor::job(const std::string& name) {
  const auto page = LUZIA_TRY(rows_about(name == "*" ? "@last" : name, wire::View::jobs, true));
  const auto found = page.as<view::Job>();
  if (found.empty()) return fail(ErrorKind::not_found, "no_such_job", "no job '" + name + "'");
  return job_json(*found.front(), invocation_.now());
}

Result<std::string> DaemonDoor::requests(const std::string& name, bool all) {
  const auto questions = LUZIA_TRY(rows_about(name, wire::View::questions, all));
  const auto approvals = LUZIA_TRY(rows_about(name, wire::View::approvals, all));
  JsonObject object;
  object.array("questions", questions.as<view::Question>(),
               [](const view::Question* row) { return question_json(*row); });
  object.array("approvals", approvals.as<view::Approval>(),
               [](const view::Approval* row) { return approval_json(*row); });
  return object.take();
}

Result<view::QuestionT> DaemonDoor::ask(wire::AskQuestionT question, const CallWait& wait) {
  if (own_.job.empty()) return no_job();
  DaemonLink link = new_link();
  const auto put = LUZIA_TRY(put_question(link, std::move(question)));
  auto row = await_question(link, put, patience_of(wait));
  if (!row && wait.stop.reason() == StopReason::cancelled) {
    // This fails if it was answered meanwhile or the job ended: then there is nothing to withdraw.
    [[maybe_unused]] const Status withdrawn = cancel_question(link, put, kWithdrawn);
  }
  return row;
}

Result<view::ApprovalT> DaemonDoor::request(wire::RequestApprovalT approval, const CallWait& wait) {
  if (own_.job.empty()) return no_job();
  DaemonLink link = new_link();
  const auto put = LUZIA_TRY(put_approval(link, std::move(approval)));
  auto row = await_approval(link, put, patience_of(wait));
  if (!row && wait.stop.reason() == StopReason::cancelled) {
    [[maybe_unused]] const Status withdrawn = cancel_approval(link, put, kWithdrawn);
  }
  return row;
}

void DaemonDoor::confirm(const std::string& job, const std::string& id) {
  DaemonLink link = new_link();
  // The agent has the answer even if that cannot be recorded.
  [[maybe_unused]] const Status confirmed = confirm_delivery(link, {job, id});
}

}  // namespace luzia::mcp
