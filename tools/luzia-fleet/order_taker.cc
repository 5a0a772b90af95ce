#include "tools/luzia-fleet/order_taker.h"

#include <algorithm>

#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"
#include "engine/event/job_state.h"
#include "tools/luzia-fleet/order_request.h"
#include "tools/luzia-fleet/site.h"
#include "tools/luzia-fleet/stored_values.h"
#include "tools/read/daemon_source.h"
#include "view.fb.h"

namespace luzia {
namespace {

/// What a program that was killed had asked may have reached the log after the next one looked through it.
constexpr std::chrono::seconds kSettleEvery{60};

/// Whoever may withdraw an order can leave the transaction open.
constexpr const char* kListen = "LISTEN luzia_orders; SET lock_timeout = '1s'";
constexpr const char* kLockTimeout = "55P03";
/// So often it looks beside at what else is to be done.
constexpr int kOrdersAtOnce = 100;

/// What cannot be done now, such as a job whose directory does not answer, is done when it is claimed again,
/// or looked through. It holds up no other order.
constexpr const char* kLater = "order_later";
Status or_later(Status done) {
  return done || done.error().code != kLater ? std::move(done) : Status();
}

/// Kinds, labels and sites have no characters that an array would have to quote.
PostgresValue array_of(const std::vector<std::string>& names) {
  std::string text = "{";
  for (const std::string& name : names) text += (text.size() == 1 ? "" : ",") + name;
  return {text + "}"};
}

PostgresValue number_value(std::int64_t number) {
  return {std::to_string(number)};
}

std::string field(const PostgresRow& row, std::size_t column) {
  return column < row.size() ? row[column].value_or("") : "";
}

/// Who ordered it, as the machine's log names people.
std::string person_of(const std::string& role) {
  constexpr std::size_t kMostPerson = 64;
  if (!is_plain_line(role, kMostPerson)) return "unknown (fleet)";
  const std::string person = role + " (fleet)";
  return person.size() <= kMostPerson ? person : role;
}

/// The daemon has answered, and says no.
bool is_refusal(const Error& error) {
  return error.kind != ErrorKind::trouble;
}

wire::QueryT query_of(wire::View view, std::vector<std::string> jobs) {
  wire::QueryT query = view_query(view);
  query.limit = kMaxLimit;
  query.filter->jobs = std::move(jobs);
  return query;
}

tl::unexpected<Error> odd_order(const ClaimedOrder& order, const std::string& why) {
  return fail(ErrorKind::refused, "order_odd",
              "the request of order " + order.id + " is not what its row says: " + why,
              "whoever placed it may not do that");
}

}  // namespace

std::chrono::milliseconds delay_of(const JobRoom& room) {
  constexpr std::chrono::milliseconds kAlmostFull{20}, kFull{500}, kForEachQueued{100};
  if (room.paused) return kMostOrderDelay;
  if (room.free_slots() > 0) return kAlmostFull * (room.running + room.queued) / room.slots;
  return std::min(kMostOrderDelay, kFull - kForEachQueued * room.free_slots());
}

Status OrderTaker::step() {
  Status done = try_step();
  if (!done) is_settled_ = false;
  report_.error = done ? "" : done.error().message;
  if (database_ && !database_->is_usable()) database_.reset();
  return done;
}

Status OrderTaker::wait(int beside) {
  if (!database_) return {};
  is_notified_ = LUZIA_TRY(database_->wait_notified(looks_in_, beside));
  return {};
}

Status OrderTaker::try_step() {
  if (!database_) {
    is_settled_ = false;
    is_notified_ = true;
    database_ = LUZIA_TRY(connect_database_());
    LUZIA_TRY(database_->script(kListen));
  }
  if (!is_settled_ || Clock::now() - settled_at_ >= kSettleEvery) {
    LUZIA_TRY(settle());
    is_settled_ = true;
    settled_at_ = Clock::now();
  }
  looks_in_ = kLookForOrdersEvery;
  if (rules_.kinds.empty()) return {};
  LUZIA_TRY(or_later(hear_fences()));
  for (int i = 0; i < kOrdersAtOnce; ++i) {
    const auto least_age = LUZIA_TRY(delay());
    const auto order = LUZIA_TRY(claim(least_age));
    if (!order) {
      if (is_notified_ && least_age.count() > 0) looks_in_ = least_age;
      return i == 0 ? Status() : look_back();
    }
    LUZIA_TRY(or_later(perform(*order)));
  }
  looks_in_ = {};
  return look_back();
}

// ------------------------------------------------------------------------------------------ going on

/// Held jobs come first: a claim without one is open again afterwards, and then nobody holds a job for it.
Status OrderTaker::settle() {
  LUZIA_TRY(call("SELECT luzia.offer_orders($1, $2, $3)",
                 {{site_}, array_of(rules_.kinds), array_of(rules_.labels)}));
  const auto held = LUZIA_TRY(held_jobs());
  for (const HeldJob& each : held) {
    LUZIA_TRY(or_later(settle_held(each)));
  }
  LUZIA_TRY(finish_accepted());
  LUZIA_TRY(call("SELECT luzia.release_claims($1)", {{site_}}));
  return rules_.kinds.empty() ? Status() : look_back();
}

Status OrderTaker::look_back() {
  OrderReport found;
  found.kinds = rules_.kinds;
  found.labels = rules_.labels;
  const auto people = LUZIA_TRY(call("SELECT role, projects FROM luzia.operators_for($1)", {{site_}}));
  for (const PostgresRow& row : people.rows) {
    const std::string projects = field(row, 1);
    found.people.push_back(field(row, 0) + " (" + (projects == "*" ? "all projects" : projects) + ")");
  }
  const auto refused =
      LUZIA_TRY(call("SELECT id, kind, project, placed_by, (extract(epoch FROM done_at) * 1000000)::bigint, "
                     "error, encode(reply, 'hex') FROM luzia.refused_orders($1)",
                     {{site_}}));
  for (const PostgresRow& row : refused.rows) {
    RefusedOrder order{field(row, 0),
                       field(row, 1),
                       field(row, 2),
                       field(row, 3),
                       parse_number<TimeUs>(field(row, 4)).value_or(0),
                       field(row, 5),
                       {}};
    const auto reply = parse_reply(bytes_of_hex(field(row, 6)));
    if (const auto* why = reply ? reply->AsRefused() : nullptr) order.hint = why->hint;
    found.refused.push_back(std::move(order));
  }
  report_ = std::move(found);
  return {};
}

Status OrderTaker::settle_held(const HeldJob& held) {
  const std::string id = order_id(held.order);
  const auto fence = parse_whole_number<std::uint64_t>(
      std::string_view(held.order).substr(std::min(held.order.size(), id.size() + 1)));
  const auto number = static_cast<std::int64_t>(fence.value_or(0));
  const auto accepted = LUZIA_TRY(accept(id, number, held.job));
  if (accepted) return release(held.job, held.order);
  LUZIA_TRY(
      cancel(held.job, "fleet.cancel." + held.order, "order " + id + " is not this machine's any more"));
  return {};
}

/// Their jobs are released by now, unless the log has lost them, as after the restore of a backup.
Status OrderTaker::finish_accepted() {
  const auto found = LUZIA_TRY(call("SELECT id, fence, job FROM luzia.accepted_orders($1)", {{site_}}));
  for (const PostgresRow& row : found.rows) {
    const std::string id = field(row, 0), job = field(row, 2);
    const auto fence = parse_whole_number<std::uint64_t>(field(row, 1));
    wire::AcceptedT accepted;
    accepted.ids = {job};
    wire::ReplyUnion done;
    done.Set(std::move(accepted));
    Result<wire::ReplyUnion> reply = std::move(done);
    if (const auto known = project_of(job); !known) {
      if (!is_refusal(known.error())) return tl::unexpected(known.error());
      reply = tl::unexpected(known.error());
    }
    LUZIA_TRY(or_later(finish(id, static_cast<std::int64_t>(fence.value_or(0)), reply)));
  }
  return {};
}

/// A job that was started anew elsewhere is cancelled here. Only machines that take such orders obey.
Status OrderTaker::hear_fences() {
  if (std::ranges::find(rules_.kinds, "retry") == rules_.kinds.end()) return {};
  const auto found =
      LUZIA_TRY(call("SELECT job, project, by_order, to_site FROM luzia.fences_of($1)", {{site_}}));
  for (const PostgresRow& row : found.rows) {
    const std::string job = field(row, 0), order = field(row, 2);
    const auto project = project_of(job);
    if (!project && !is_refusal(project.error())) return tl::unexpected(project.error());
    std::string result = project ? "" : project.error().message;
    if (project && *project != field(row, 1)) result = "the job is of another project";
    if (result.empty()) {
      result = LUZIA_TRY(cancel(job, "fleet.fence." + order,
                                "fenced: order " + order + " runs its task on site " + field(row, 3)));
    }
    const auto heard =
        call("SELECT luzia.hear_fence($1, $2, $3, $4)",
             {{site_}, {job}, {order}, {storable_text(result.empty() ? "cancelled" : result)}});
    LUZIA_TRY(or_later(heard ? Status() : tl::unexpected(heard.error())));
  }
  return {};
}

// ------------------------------------------------------------------------------------------ orders

/// An order that is no dispatch has one machine.
Result<std::chrono::milliseconds> OrderTaker::delay() {
  if (std::ranges::find(rules_.kinds, "dispatch") == rules_.kinds.end()) return std::chrono::milliseconds(0);
  JobRoom room{.slots = rules_.slots};
  LUZIA_TRY(visit_rows(jobs_for_room(false), [&room](const RowPage& page) -> Status {
    for (const view::Job* job : LUZIA_TRY(rows_of<view::Job>(page))) room.add(*job);
    return {};
  }));
  LUZIA_TRY(visit_rows(view_query(wire::View::switches), [&room](const RowPage& page) -> Status {
    for (const view::QueueSwitch* each : LUZIA_TRY(rows_of<view::QueueSwitch>(page))) room.add(*each);
    return {};
  }));
  return delay_of(room);
}

Result<std::optional<ClaimedOrder>> OrderTaker::claim(std::chrono::milliseconds delay) {
  const auto found = LUZIA_TRY(
      call("SELECT id, fence, kind, project, about, placed_by, encode(request, 'hex') FROM "
           "luzia.claim_order($1, $2, $3, $4) WHERE id IS NOT NULL",
           {{site_}, array_of(rules_.kinds), array_of(rules_.labels), number_value(delay.count())}));
  if (found.rows.empty()) return std::optional<ClaimedOrder>();
  const PostgresRow& row = found.rows.front();
  ClaimedOrder order;
  order.id = field(row, 0);
  order.fence = static_cast<std::int64_t>(parse_whole_number<std::uint64_t>(field(row, 1)).value_or(0));
  order.kind = field(row, 2);
  order.project = field(row, 3);
  order.about = field(row, 4);
  order.person = person_of(field(row, 5));
  order.request = bytes_of_hex(field(row, 6));
  return std::optional(std::move(order));
}

/// The database said who may order what, by the row. So the request has to be what the row says.
Result<wire::RequestUnion> OrderTaker::checked_request(const ClaimedOrder& order) {
  auto request = LUZIA_TRY(parse_order(order.request));
  const auto what = LUZIA_TRY(order_of(request));
  if (std::ranges::find(rules_.kinds, what.kind) == rules_.kinds.end()) {
    return fail(ErrorKind::refused, "order_not_taken", "site " + site_ + " takes no order to " + what.kind,
                "[fleet] orders in its luzia.toml says which");
  }
  if (what.kind != order.kind) return odd_order(order, "it is to " + what.kind + ", not to " + order.kind);
  if (what.command_id != order.id) return odd_order(order, "it has another id");
  if (what.kind != "dispatch" && what.job != order.about) return odd_order(order, "it is about another job");
  const auto project = what.job.empty() ? Result<std::string>(what.project) : project_of(what.job);
  if (!project) return tl::unexpected(project.error());
  if (*project != order.project) return odd_order(order, "it is about another project");
  stamp_order(request, order.id, order.fence, order.person);
  return request;
}

Status OrderTaker::perform(const ClaimedOrder& order) {
  failpoint("order.claimed");
  const auto request = checked_request(order);
  if (!request) {
    if (!is_refusal(request.error())) return tl::unexpected(request.error());
    return finish(order.id, order.fence, tl::unexpected(request.error()));
  }
  if (order.kind == "dispatch") return dispatch(order, *request);
  const auto reply = ask(order.person, *request);
  if (!reply && !is_refusal(reply.error())) return tl::unexpected(reply.error());
  return finish(order.id, order.fence, reply);
}

Status OrderTaker::dispatch(const ClaimedOrder& order, const wire::RequestUnion& request) {
  const auto reply = ask(order.person, request);
  if (!reply && !is_refusal(reply.error())) return tl::unexpected(reply.error());
  if (!reply) {
    LUZIA_TRY(
        call("SELECT luzia.pass_order($1, $2, $3, $4, $5)", {{site_},
                                                             {order.id},
                                                             number_value(order.fence),
                                                             {reply_bytes(reply_of(reply.error())), true},
                                                             {storable_text(reply.error().message)}}));
    return {};
  }
  const auto* queued = reply->AsAccepted();
  if (queued == nullptr || queued->ids.size() != 1) {
    return fail(ErrorKind::trouble, "protocol", "the daemon sent an unexpected answer to a dispatch",
                "use the same version of luzia-fleet and luziad");
  }
  const std::string job = queued->ids.front(), name = claim_name(order.id, order.fence);
  failpoint("order.held");
  const auto accepted = LUZIA_TRY(accept(order.id, order.fence, job));
  if (!accepted) {
    LUZIA_TRY(cancel(job, "fleet.cancel." + name, "order " + order.id + " is not this machine's any more"));
    return {};
  }
  failpoint("order.accepted");
  LUZIA_TRY(release(job, name));
  failpoint("order.released");
  return finish(order.id, order.fence, reply);
}

// ------------------------------------------------------------------------------------------ the database

Result<PostgresRows> OrderTaker::call(const std::string& sql, const std::vector<PostgresValue>& values) {
  auto found = database_->run(sql, values);
  if (found) return found;
  Error error = with_schema_hint(found.error(), database_->last_sqlstate());
  if (database_->last_sqlstate() == kLockTimeout) error.code = kLater;
  return tl::unexpected(std::move(error));
}

Result<bool> OrderTaker::accept(const std::string& id, std::int64_t fence, const std::string& job) {
  const auto found = LUZIA_TRY(
      call("SELECT luzia.accept_order($1, $2, $3, $4)", {{site_}, {id}, number_value(fence), {job}}));
  return !found.rows.empty() && field(found.rows.front(), 0) == "t";
}

Status OrderTaker::finish(const std::string& id, std::int64_t fence, const Result<wire::ReplyUnion>& reply) {
  const std::string bytes = reply_bytes(reply ? *reply : reply_of(reply.error()));
  const PostgresValue error = reply ? PostgresValue{} : PostgresValue{storable_text(reply.error().message)};
  LUZIA_TRY(call("SELECT luzia.finish_order($1, $2, $3, $4, $5, $6)",
                 {{site_}, {id}, number_value(fence), {reply ? "done" : "refused"}, {bytes, true}, error}));
  return {};
}

// ------------------------------------------------------------------------------------------ the daemon

Result<wire::ReplyUnion> OrderTaker::ask(const std::string& person, const wire::RequestUnion& request) {
  Client client = LUZIA_TRY(connect_daemon_(person));
  const auto id = LUZIA_TRY(client.send(request));
  while (true) {
    const wire::ServerFrame* frame = LUZIA_TRY(client.receive());
    if (frame == nullptr || (frame->id() != id && frame->id() != 0)) continue;
    const wire::Refused* refused = frame->reply_as_Refused();
    if (refused == nullptr && frame->id() == 0) continue;
    if (refused == nullptr) return std::move(std::unique_ptr<wire::ServerFrameT>(frame->UnPack())->reply);
    Error error = client.error_of(*refused);
    if (frame->id() == id && !is_refusal(error)) error.code = kLater;
    return tl::unexpected(std::move(error));
  }
}

Status OrderTaker::visit_rows(wire::QueryT query, const Rows& visit) {
  const auto connect = [this] { return connect_daemon_(""); };
  DaemonSource rows(LUZIA_TRY(connect()), connect);
  do {
    const auto page = LUZIA_TRY(rows.query(query));
    LUZIA_TRY(visit(page));
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return {};
}

Result<std::vector<OrderTaker::HeldJob>> OrderTaker::held_jobs() {
  constexpr std::size_t kAskedAtOnce = 100;
  std::vector<std::string> ids;
  wire::QueryT queued = query_of(wire::View::jobs, {});
  queued.filter->states = {schema::JobState::queued};
  LUZIA_TRY(visit_rows(std::move(queued), [&ids](const RowPage& page) -> Status {
    const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
    for (const view::Job* job : jobs) {
      if (job->held()) ids.emplace_back(text(job->id()));
    }
    return {};
  }));
  std::vector<HeldJob> held;
  for (std::size_t at = 0; at < ids.size(); at += kAskedAtOnce) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), at + kAskedAtOnce));
    LUZIA_TRY(
        visit_rows(query_of(wire::View::waiting, {first, last}), [&held](const RowPage& page) -> Status {
          const auto waits = LUZIA_TRY(rows_of<view::Waiting>(page));
          for (const view::Waiting* wait : waits) {
            if (wait->what() != view::WaitsFor::release || wait->subjects() == nullptr ||
                wait->subjects()->size() == 0)
              continue;
            held.push_back({std::string(text(wait->job())), wait->subjects()->Get(0)->str()});
          }
          return {};
        }));
  }
  return held;
}

Result<std::string> OrderTaker::project_of(const std::string& job) {
  std::optional<std::string> project;
  LUZIA_TRY(visit_rows(query_of(wire::View::jobs, {job}), [&](const RowPage& page) -> Status {
    const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
    for (const view::Job* each : jobs) {
      if (text(each->id()) == job) project = text(each->project());
    }
    return {};
  }));
  if (project) return *std::move(project);
  return fail(ErrorKind::not_found, "no_such_job", "the log of site " + site_ + " has no job " + job,
              "luzia.jobs in the fleet's database says which site has it");
}

Status OrderTaker::release(const std::string& job, const std::string& order) {
  wire::ActOnJobsT request;
  request.action = wire::JobAction::release;
  request.jobs = {job};
  request.order = order;
  request.note = "the fleet has accepted order " + order_id(order);
  request.command_id = "fleet.release." + order;
  const auto done = ask("", request_of(std::move(request)));
  // Somebody here may have cancelled it meanwhile.
  return done || is_refusal(done.error()) ? Status() : tl::unexpected(done.error());
}

Result<std::string> OrderTaker::cancel(const std::string& job, const std::string& command_id,
                                       const std::string& note) {
  wire::ActOnJobsT request;
  request.action = wire::JobAction::cancel;
  request.jobs = {job};
  request.note = note;
  request.command_id = command_id;
  const auto done = ask("", request_of(std::move(request)));
  if (done) return std::string();
  if (is_refusal(done.error())) return done.error().message;
  return tl::unexpected(done.error());
}

}  // namespace luzia
