#include "tools/luzia-fleet/order_taker.h"

#include <algorithm>

#include "adapters/socket/client.h"
#include "engine/base/failpoint.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "engine/event/job_state.h"
#include "tools/luzia-fleet/order_request.h"

namespace luzia {
namespace {

/// What a program that was killed had asked may have reached the log after the next one looked through it.
constexpr std::chrono::seconds kSettleEvery{60};
/// So often it looks beside at what else is to be done.
constexpr int kOrdersAtOnce = 100;
constexpr std::chrono::milliseconds kLeastWait{20};
/// No order is so old: none that several machines may take.
constexpr std::chrono::hours kOnlyOwn{24 * 365};

Status or_later(Status done) {
  return done || done.error().code != kLater ? std::move(done) : Status();
}

/// The daemon has answered, and says no.
bool is_refusal(const Error& error) {
  return error.kind != ErrorKind::trouble;
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
  if (LUZIA_TRY(database_->wait(looks_in_, beside))) left_ = {};
  return {};
}

Status OrderTaker::try_step() {
  if (!database_) {
    is_settled_ = false;
    left_ = {};
    database_ = LUZIA_TRY(connect_());
  }
  if (!is_settled_ || now_() - settled_at_ >= kSettleEvery) {
    LUZIA_TRY(settle());
    is_settled_ = true;
    settled_at_ = now_();
  }
  looks_in_ = kLookForOrdersEvery;
  if (rules_.kinds.empty()) return {};
  LUZIA_TRY(or_later(hear_fences()));
  for (int i = 0; i < kOrdersAtOnce; ++i) {
    const auto order = LUZIA_TRY(claim());
    if (!order) return i == 0 ? Status() : look_back();
    LUZIA_TRY(or_later(perform(*order)));
  }
  looks_in_ = {};
  return look_back();
}

// ------------------------------------------------------------------------------------------ going on

/// Held jobs come first: a claim without one is open again afterwards, and then nobody holds a job for it.
Status OrderTaker::settle() {
  LUZIA_TRY(check_log());
  LUZIA_TRY(database_->offer(rules_));
  const auto held = LUZIA_TRY(daemon_.held_jobs());
  for (const HeldJob& each : held) {
    LUZIA_TRY(or_later(settle_held(each)));
  }
  LUZIA_TRY(finish_accepted());
  LUZIA_TRY(database_->release_claims());
  return rules_.kinds.empty() ? Status() : look_back();
}

Status OrderTaker::look_back() {
  OrderReport found = LUZIA_TRY(database_->report());
  found.kinds = rules_.kinds;
  found.labels = rules_.labels;
  report_ = std::move(found);
  return {};
}

Status OrderTaker::check_log() {
  const HeldSite held = LUZIA_TRY(database_->site());
  const Status fits = check_continues(log_, name_, held);
  return fits || fits.error().code == "groups_archived" ? Status() : fits;
}

Status OrderTaker::settle_held(const HeldJob& held) {
  const std::string id = order_id(held.order);
  const auto fence = parse_whole_number<std::uint64_t>(
      std::string_view(held.order).substr(std::min(held.order.size(), id.size() + 1)));
  const auto number = static_cast<std::int64_t>(fence.value_or(0));
  const auto accepted = LUZIA_TRY(database_->accept(id, number, held.job));
  if (accepted) return release(held.job, held.order);
  LUZIA_TRY(
      cancel(held.job, "fleet.cancel." + held.order, "order " + id + " is not this machine's any more"));
  return {};
}

/// Their jobs are released by now, unless the log has lost them, as after the restore of a backup.
Status OrderTaker::finish_accepted() {
  const auto orders = LUZIA_TRY(database_->accepted());
  for (const AcceptedOrder& order : orders) {
    wire::AcceptedT accepted;
    accepted.ids = {order.job};
    wire::ReplyUnion done;
    done.Set(std::move(accepted));
    Result<wire::ReplyUnion> reply = std::move(done);
    if (const auto known = project_of(order.job); !known) {
      if (!is_refusal(known.error())) return tl::unexpected(known.error());
      reply = tl::unexpected(known.error());
    }
    LUZIA_TRY(or_later(database_->finish(order.id, order.fence, reply)));
  }
  return {};
}

/// A job that was started anew elsewhere is cancelled here. Only machines that take such orders obey.
Status OrderTaker::hear_fences() {
  if (std::ranges::find(rules_.kinds, "retry") == rules_.kinds.end()) return {};
  const auto fences = LUZIA_TRY(database_->fences());
  for (const FencedJob& fenced : fences) {
    const auto project = project_of(fenced.job);
    if (!project && !is_refusal(project.error())) return tl::unexpected(project.error());
    std::string result = project ? "" : project.error().message;
    if (project && *project != fenced.project) result = "the job is of another project";
    if (result.empty()) {
      result =
          LUZIA_TRY(cancel(fenced.job, "fleet.fence." + fenced.by_order,
                           "fenced: order " + fenced.by_order + " runs its task on site " + fenced.to_site));
    }
    LUZIA_TRY(or_later(database_->hear_fence(fenced, result.empty() ? "cancelled" : result)));
  }
  return {};
}

// ------------------------------------------------------------------------------------------ orders

/// What is for this machine alone does not depend on its room.
Result<std::optional<ClaimedOrder>> OrderTaker::claim() {
  auto own = LUZIA_TRY(database_->claim(rules_, kOnlyOwn));
  if (own || !LUZIA_TRY(database_->has_shared(rules_))) return own;
  const auto least_age = delay_of(LUZIA_TRY(daemon_.room(rules_.slots)));
  auto shared = LUZIA_TRY(database_->claim(rules_, least_age));
  if (shared) {
    left_ = {};
  } else {  // it is too young, or somebody has it: look again soon, then less and less often
    left_ = std::min(kLookForOrdersEvery, left_.count() == 0 ? std::max(least_age, kLeastWait) : 2 * left_);
    looks_in_ = left_;
  }
  return shared;
}

/// The database said who may order what, by the row. So the request has to be what the row says.
Result<wire::RequestUnion> OrderTaker::checked_request(const ClaimedOrder& order) {
  auto request = LUZIA_TRY(parse_order(order.request));
  const auto what = LUZIA_TRY(order_of(request));
  if (std::ranges::find(rules_.kinds, what.kind) == rules_.kinds.end()) {
    return fail(ErrorKind::refused, "order_not_taken",
                "site " + name_.site + " takes no order to " + what.kind,
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
    return database_->finish(order.id, order.fence, tl::unexpected(request.error()));
  }
  if (order.kind == "dispatch") return dispatch(order, *request);
  const auto reply = daemon_.ask(order.person, *request);
  if (!reply && !is_refusal(reply.error())) return tl::unexpected(reply.error());
  return database_->finish(order.id, order.fence, reply);
}

Status OrderTaker::dispatch(const ClaimedOrder& order, const wire::RequestUnion& request) {
  const auto reply = daemon_.ask(order.person, request);
  if (!reply && !is_refusal(reply.error())) return tl::unexpected(reply.error());
  if (!reply) return database_->pass(order.id, order.fence, reply.error());
  const auto* queued = reply->AsAccepted();
  if (queued == nullptr || queued->ids.size() != 1) {
    return fail(ErrorKind::trouble, "protocol", "the daemon sent an unexpected answer to a dispatch",
                "use the same version of luzia-fleet and luziad");
  }
  const std::string job = queued->ids.front(), name = claim_name(order.id, order.fence);
  failpoint("order.held");
  const auto accepted = LUZIA_TRY(database_->accept(order.id, order.fence, job));
  if (!accepted) {
    LUZIA_TRY(cancel(job, "fleet.cancel." + name, "order " + order.id + " is not this machine's any more"));
    return {};
  }
  failpoint("order.accepted");
  LUZIA_TRY(release(job, name));
  failpoint("order.released");
  return database_->finish(order.id, order.fence, reply);
}

// ------------------------------------------------------------------------------------------ the daemon

Result<std::string> OrderTaker::project_of(const std::string& job) {
  auto project = LUZIA_TRY(daemon_.project_of(job));
  if (project) return *std::move(project);
  return fail(ErrorKind::not_found, "no_such_job", "the log of site " + name_.site + " has no job " + job,
              "luzia.jobs in the fleet's database says which site has it");
}

Status OrderTaker::release(const std::string& job, const std::string& order) {
  wire::ActOnJobsT request;
  request.action = wire::JobAction::release;
  request.jobs = {job};
  request.order = order;
  request.note = "the fleet has accepted order " + order_id(order);
  request.command_id = "fleet.release." + order;
  const auto done = daemon_.ask("", request_of(std::move(request)));
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
  const auto done = daemon_.ask("", request_of(std::move(request)));
  if (done) return std::string();
  if (is_refusal(done.error())) return done.error().message;
  return tl::unexpected(done.error());
}

}  // namespace luzia
