#include "tests/simulation/fleet/linked_ports.h"

#include "engine/base/try.h"

namespace luzia::test {

// -------------------------------------------------------------------------------------------- orders

template <class Answer>
Answer LinkedOrders::call(const std::string& words, std::function<Answer()> act) {
  FleetMachine& machine = caller_.machine;
  if (machine.is_other && caller_.reaches(connection_)) {
    caller_.world.break_rule("a machine whose log is not that of site " + machine.site->name() + " calls " +
                             words);
  }
  return caller_.ask_database<Answer>(
      connection_, [&world = caller_.world, who = machine.site->name(), words, act = std::move(act)] {
        world.tell(who + " calls " + words);
        return act();
      });
}

Result<HeldSite> LinkedOrders::site() {
  return caller_.ask_database<Result<HeldSite>>(connection_, [orders = orders_] { return orders->site(); });
}

Status LinkedOrders::offer(const OrderRules& rules) {
  return call<Status>("offer", [orders = orders_, rules] { return orders->offer(rules); });
}

Result<std::optional<ClaimedOrder>> LinkedOrders::claim(const OrderRules& rules,
                                                        std::chrono::milliseconds least_age) {
  return caller_.ask_database<Result<std::optional<ClaimedOrder>>>(
      connection_,
      [&world = caller_.world, orders = orders_, rules, least_age, who = caller_.machine.site->name()] {
        auto claimed = orders->claim(rules, least_age);
        if (claimed && *claimed)
          world.tell(who + " has claimed " + (*claimed)->id + "#" + std::to_string((*claimed)->fence));
        return claimed;
      });
}

Result<bool> LinkedOrders::has_shared(const OrderRules& rules) {
  return caller_.ask_database<Result<bool>>(connection_,
                                            [orders = orders_, rules] { return orders->has_shared(rules); });
}

Result<bool> LinkedOrders::accept(const std::string& id, std::int64_t fence, const std::string& job) {
  return call<Result<bool>>("accept " + id + "#" + std::to_string(fence) + " as " + job,
                            [orders = orders_, id, fence, job] { return orders->accept(id, fence, job); });
}

Status LinkedOrders::finish(const std::string& id, std::int64_t fence,
                            const Result<wire::ReplyUnion>& reply) {
  return call<Status>("finish " + id + (reply ? "" : ": " + reply.error().code),
                      [orders = orders_, id, fence, reply] { return orders->finish(id, fence, reply); });
}

Status LinkedOrders::pass(const std::string& id, std::int64_t fence, const Error& why) {
  return call<Status>("pass " + id,
                      [orders = orders_, id, fence, why] { return orders->pass(id, fence, why); });
}

Status LinkedOrders::release_claims() {
  return call<Status>("release_claims", [orders = orders_] { return orders->release_claims(); });
}

Result<std::vector<AcceptedOrder>> LinkedOrders::accepted() {
  return call<Result<std::vector<AcceptedOrder>>>("accepted",
                                                  [orders = orders_] { return orders->accepted(); });
}

Result<std::vector<FencedJob>> LinkedOrders::fences() {
  return caller_.ask_database<Result<std::vector<FencedJob>>>(
      connection_, [orders = orders_] { return orders->fences(); });
}

Status LinkedOrders::hear_fence(const FencedJob& fenced, const std::string& result) {
  return call<Status>("hear_fence " + fenced.job + ": " + result,
                      [orders = orders_, fenced, result] { return orders->hear_fence(fenced, result); });
}

// -------------------------------------------------------------------------------------------- daemon

Result<wire::ReplyUnion> LinkedDaemon::ask(const std::string& /*person*/, const wire::RequestUnion& request) {
  return caller_.ask_daemon<wire::ReplyUnion>(
      [request](SimulatedSite& site, auto answer) { site.ask(request, std::move(answer)); });
}

Result<std::vector<HeldJob>> LinkedDaemon::held_jobs() {
  return caller_.ask_daemon<std::vector<HeldJob>>(
      [](SimulatedSite& site, auto answer) { site.held_jobs(std::move(answer)); });
}

Result<std::optional<std::string>> LinkedDaemon::project_of(const std::string& job) {
  return caller_.ask_daemon<std::optional<std::string>>(
      [job](SimulatedSite& site, auto answer) { site.project_of(job, std::move(answer)); });
}

Result<JobRoom> LinkedDaemon::room(std::uint32_t slots) {
  return caller_.ask_daemon<JobRoom>(
      [slots](SimulatedSite& site, auto answer) { site.room(slots, std::move(answer)); });
}

// -------------------------------------------------------------------------------------------- mirror

void LinkedMirrorStore::unlock() {
  std::erase_if(caller_.world.locks, [this](const auto& each) { return each.second == this; });
}

Status LinkedMirrorStore::transaction(const std::function<Status()>& body) {
  draft_ = std::make_shared<Draft>();
  Status done = body();
  if (done) done = commit();
  draft_.reset();
  unlock();
  return done;
}

Status LinkedMirrorStore::commit() {
  const auto act = [&world = caller_.world, draft = draft_] {
    if (draft->site.empty()) return Status();
    FleetRow& row = world.fleet.enter(draft->site);
    // It was lost with its server, and others have written since.
    if (row.held.position != draft->before.position || row.held.chain != draft->before.chain) return Status();
    if (!draft->row.groups.empty()) {
      world.tell(draft->site + " is mirrored up to " + std::to_string(draft->row.held.position));
    }
    row.held = draft->row.held;
    row.groups.insert(row.groups.end(), draft->row.groups.begin(), draft->row.groups.end());
    for (const auto& [id, job] : draft->jobs) world.fleet.set_job(id, job);
    return Status();
  };
  return caller_.ask_database<Status>(connection_, act, false);
}

Result<HeldSite> LinkedMirrorStore::enter(const SiteName& name) {
  const auto is_free = [this, site = name.site] {
    const auto lock = caller_.world.locks.find(site);
    return lock == caller_.world.locks.end() || lock->second == this;
  };
  caller_.fiber.wait([this, is_free] { return is_free() || !caller_.reaches(connection_); });
  return caller_.ask_database<Result<HeldSite>>(
      connection_,
      [this, is_free, site = name.site, &world = caller_.world, draft = draft_]() -> Result<HeldSite> {
        if (!is_free()) return fail(ErrorKind::trouble, "order_later", "the site is locked", "");
        const HeldSite held = world.fleet.enter(site).held;
        if (draft == nullptr) return held;
        world.locks[site] = this;
        draft->site = site;
        draft->before = draft->row.held = held;
        return held;
      },
      false);
}

Status LinkedMirrorStore::copy(const SiteName& name, const GroupsRead& read) {
  const Status copied = MemoryFleet::copy(draft_->row, read);
  if (copied) return {};
  return tl::unexpected(refusal_of(name, copied.error(), copied.error().code));
}

Result<Position> LinkedMirrorStore::write_rows(FleetSession& /*daemon*/, const std::string& site,
                                               const Touched& touched) {
  const auto position = LUZIA_TRY(
      caller_.ask_daemon<Position>([draft = draft_, site, touched](SimulatedSite& at, const auto& answer) {
        for (const auto& [id, unused] : touched.all_jobs()) {
          const auto job = at.jobs().find(id);
          if (job != at.jobs().end()) draft->jobs[id] = {site, job->second.spec->project};
        }
        answer(at.log().tip().position);
      }));
  return position;
}

Status LinkedMirrorStore::rebuild_rows(FleetSession& /*daemon*/, const std::string& site) {
  return caller_
      .ask_daemon<Position>([draft = draft_, site](SimulatedSite& at, const auto& answer) {
        for (const auto& [id, job] : at.jobs()) draft->jobs[id] = {site, job.spec->project};
        answer(at.log().tip().position);
      })
      .map([](Position /*end*/) {});
}

Status LinkedMirrorStore::set_rows_position(const std::string& /*site*/, Position position) {
  draft_->row.held.rows_position = position;
  return {};
}

Status LinkedMirrorStore::note_fault(const SiteName& name, const std::string& fault) {
  return caller_.ask_database<Status>(connection_, [&world = caller_.world, site = name.site, fault] {
    world.tell("the database notes of " + site + ": " + fault);
    world.fleet.enter(site).fault = fault;
    return Status();
  });
}

}  // namespace luzia::test
