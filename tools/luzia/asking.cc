#include "tools/luzia/asking.h"

#include <chrono>

#include "engine/base/hash.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "projections/query.h"
#include "projections/rows/json_object.h"
#include "projections/rows/unreadable.h"
#include "tools/luzia/signals.h"
#include "tools/read/known_projects.h"
#include "tools/read/machine_source.h"

namespace luzia {
namespace {

tl::unexpected<Error> unexpected_reply() {
  return fail(ErrorKind::trouble, "unexpected_reply", "asking the daemon: it sent an unexpected answer",
              "luzia daemon restart starts the installed version; running jobs are not affected");
}

using Frame = Result<std::unique_ptr<wire::ServerFrameT>>;

constexpr int kMostRepeats = 8;
constexpr std::chrono::seconds kPatienceUntilItEnds{5};

std::string sent_command_id(const wire::RequestUnion& request) {
  if (const auto* dispatch = request.AsDispatch()) {
    return dispatch->jobs.empty() ? std::string() : dispatch->jobs.front()->command_id;
  }
  std::string id;
  const auto take = [&id](const auto*... sent) { ((id = sent != nullptr ? sent->command_id : id), ...); };
  take(request.AsActOnJobs(), request.AsActOnQueue(), request.AsActOnFlow(), request.AsCreateFlow(),
       request.AsPublish(), request.AsAskQuestion(), request.AsAnswerQuestion(), request.AsCancelQuestion(),
       request.AsRequestApproval(), request.AsDecideApproval(), request.AsCancelApproval(),
       request.AsConfirmDelivery(), request.AsNoteWorkspace(), request.AsRecordSolution(),
       request.AsJudgeSolution(), request.AsPruneSolutions(), request.AsStoreFact(), request.AsForgetFact(),
       request.AsRemoveJobs(), request.AsActOnTodo(), request.AsAttachJob(), request.AsTellJob(),
       request.AsTakeTold());
  return id;
}

/// Waits until a restarting daemon has closed the connection, at most 5 s.
void wait_until_it_ends(Client& client) {
  const auto deadline = std::chrono::steady_clock::now() + kPatienceUntilItEnds;
  while (std::chrono::steady_clock::now() < deadline && client.receive(kPatienceUntilItEnds)) {
  }
}

/// `options`: of the place where it was sent, "--command-id ID --on build2".
Error with_command_id(Error error, const std::string& options) {
  if (!is_repeatable(error)) error.message += "; it is not known whether the command was carried out";
  error.hint = "repeat it with " + options + ": it takes effect once";
  return error;
}

/// For a silent daemon: it may still carry out the command later.
Error unknown_outcome(Error error, const std::string& options) {
  error.message += "; it is not known whether it will carry out the command";
  error.hint += "; then repeat the command with " + options + ": it takes effect once";
  return error;
}

/// Asks the next daemon if this one went away, up to kMostRepeats times. Only for repeatable requests.
Frame ask_next(Invocation& invocation, Client& client, const wire::RequestUnion& request, Frame answer) {
  for (int again = 0; !answer && is_repeatable(answer.error()) && again < kMostRepeats; ++again) {
    if (starts_over(answer.error())) wait_until_it_ends(client);
    client = LUZIA_TRY(invocation.connect());
    answer = client.ask(request);
  }
  return answer;
}

}  // namespace

Result<Page> page_of(Frame answer) {
  if (!answer) return tl::unexpected(answer.error());
  if ((*answer)->reply.type != wire::Reply::Rows) return unexpected_reply();
  return Page(std::move(*answer));
}

Result<Page> ask_rows(Client& client, const wire::QueryT& query) {
  return page_of(client.ask(request_of(wire::QueryT(query))));
}

Result<Page> ask_rows(Invocation& invocation, Client& client, const wire::QueryT& query) {
  const auto request = request_of(wire::QueryT(query));
  auto page = page_of(ask_next(invocation, client, request, client.ask(request)));
  // Only commands that show rows report unreadable texts.
  if (page && invocation.command().group == "Look") invocation.note_unreadable(page->unreadable());
  return page;
}

Status for_each_page(Invocation& invocation, Client& client, wire::QueryT query,
                     const std::function<void(Page)>& visit) {
  FarPages pages(kMostCarriedBytes);
  do {
    auto page = LUZIA_TRY(ask_rows(invocation, client, query));
    if (invocation.machine() != nullptr) {
      LUZIA_TRY(pages.add(query.cursor, page.bytes()));
    }
    query.cursor = page.next();
    visit(std::move(page));
  } while (!query.cursor.empty());
  return {};
}

std::uint64_t Page::unreadable() const {
  std::uint64_t found = 0;
  for (const auto& row : rows().rows) {
    found += has_unreadable_text(rows().type, {row->data.data(), row->data.size()});
  }
  return found;
}

std::size_t Page::bytes() const {
  std::size_t all = 0;
  for (const auto& row : rows().rows) all += row->data.size();
  return all;
}

void print_rows(Invocation& invocation, const Table& table, const Page& page, const std::string& none) {
  if (table.empty()) {
    invocation.say(none);
  } else {
    print(table.text(invocation.terminal().style()));
  }
  if (!page.next().empty()) invocation.say("more: --cursor " + page.next());
}

Result<Page> ask_job(Invocation& invocation, Client& client, const std::string& job, TaskText task) {
  wire::QueryT query = view_query(wire::View::jobs);
  query.whole_tasks = task == TaskText::whole;
  query.filter->jobs = {job};
  auto page = ask_rows(invocation, client, query);
  if (page && page->as<view::Job>().empty()) {
    return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'", "luzia jobs --all lists them");
  }
  return page;
}

wire::QueryT pauses_query(const Arguments& args) {
  wire::QueryT query = view_query(wire::View::switches);
  query.filter->projects = filter_of(args)->projects;
  return query;
}

std::vector<const view::QueueSwitch*> pauses_of(const Page* answer) {
  const bool knows = answer != nullptr && answer->type() == wire::RowType::queue_switch;
  return knows ? answer->as<view::QueueSwitch>() : std::vector<const view::QueueSwitch*>();
}

Result<std::string> full_id(Invocation& invocation, Client& client, const std::string& job) {
  if (is_job_id(job)) return job;
  const auto page = LUZIA_TRY(ask_job(invocation, client, job));
  return page.as<view::Job>().front()->id()->str();
}

std::unique_ptr<wire::FilterT> filter_of(const Arguments& args) {
  auto filter = std::make_unique<wire::FilterT>();
  filter->jobs = args.list("job");
  filter->projects = args.list("project");
  filter->agents = args.list("agent");
  filter->tags = args.list("tag");
  take_states(args, *filter);
  filter->since_us = args.moment("since").value_or(0);
  filter->until_us = args.moment("until").value_or(0);
  return filter;
}

Result<Client> connect_to_ask(Invocation& invocation) {
  auto client = invocation.connect();
  const auto projects = filter_of(invocation.args())->projects;
  if (!client || projects.empty()) return client;
  const auto count = [&](const wire::QueryT& query) -> Result<std::size_t> {
    const auto page = LUZIA_TRY(ask_rows(invocation, *client, query));
    return page.size();
  };
  const Status known = check_projects(invocation, projects, count);
  return known ? std::move(client) : tl::unexpected(known.error());
}

Result<std::unique_ptr<wire::ServerFrameT>> ask_control(Client& client, wire::ControlAction action,
                                                        const std::string& argument) {
  wire::ControlT request;
  request.action = action;
  request.argument = argument;
  return client.ask(request_of(std::move(request)));
}

wire::ProgressedT ask_description(Client& client) {
  const auto reply = ask_control(client, wire::ControlAction::info);
  const auto* described = reply ? (*reply)->reply.AsProgressed() : nullptr;
  return described == nullptr ? wire::ProgressedT() : *described;
}

bool is_repeatable(const Error& error) {
  return error.code == "connection_lost" || starts_over(error);
}

std::string command_id_of(const Arguments& args) {
  return args.has("command-id") ? args.text("command-id") : fresh_command_id();
}

std::string fresh_command_id() {
  return "cli-" + to_hex(as_bytes(random_bytes(12)));
}

Result<wire::AcceptedT> send_command(Invocation& invocation, Client& client,
                                     const wire::RequestUnion& request) {
  const std::string id = sent_command_id(request);
  const std::string options = "--command-id " + id + invocation.place_options();
  auto answer = client.ask(request);
  if (!answer && !id.empty() && answer.error().code == "daemon_silent") {
    return tl::unexpected(unknown_outcome(answer.error(), options));
  }
  if (!answer && !id.empty() && is_repeatable(answer.error())) {
    answer = ask_next(invocation, client, request, std::move(answer));
    if (!answer && answer.error().kind == ErrorKind::trouble) {
      return tl::unexpected(with_command_id(answer.error(), options));
    }
  }
  if (!answer) return tl::unexpected(answer.error());
  if ((*answer)->reply.type != wire::Reply::Accepted) return unexpected_reply();
  return std::move(*(*answer)->reply.AsAccepted());
}

std::string accepted_json(const wire::AcceptedT& accepted, const Machine* machine) {
  JsonObject object;
  object.text("id", accepted.ids.empty() ? std::string_view() : accepted.ids.front());
  object.number("position", accepted.position);
  object.boolean("repeated", accepted.repeated);
  if (machine != nullptr) object.text("machine", machine->shown());
  return object.take();
}

int exit_code_of(const view::Job& job, bool own) {
  const bool completed = job.state() == schema::JobState::completed;
  if (own && job.exit_code() && (*job.exit_code() != 0 || completed)) return *job.exit_code();
  if (own && job.signal() != 0) return kSignalBase + job.signal();
  return completed ? 0 : 1;
}

}  // namespace luzia
