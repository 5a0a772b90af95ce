#include "tests/simulation/fleet/fleet_simulation.h"

#include <algorithm>

#include "tools/luzia-fleet/order_request.h"

namespace luzia::test {
namespace {

constexpr std::size_t kMachines = 3;
constexpr TimeUs kBeginning = 1'800'000'000 * kSecondUs;

OrderRules rules_of(const SimulatedSite& site) {
  return {{"dispatch", "cancel", "retry"},
          site.name() == "one" ? std::vector<std::string>{} : std::vector<std::string>{"gpu"}};
}

wire::RequestUnion request_to_dispatch(const std::string& id, const std::string& project) {
  auto job = std::make_unique<wire::DispatchJobT>();
  job->project = project;
  job->task = "do " + id;
  job->command_id = id;
  wire::DispatchT dispatch;
  dispatch.jobs.push_back(std::move(job));
  wire::RequestUnion request;
  request.Set(std::move(dispatch));
  return request;
}

wire::RequestUnion request_to_cancel(const std::string& id, const std::string& job) {
  wire::ActOnJobsT action;
  action.action = wire::JobAction::cancel;
  action.jobs = {job};
  action.command_id = id;
  wire::RequestUnion request;
  request.Set(std::move(action));
  return request;
}

}  // namespace

FleetSimulation::FleetSimulation(std::uint64_t seed, FleetFault fault) : world_(seed), fault_(fault) {
  world_.now = world_.fleet.now = kBeginning;
  world_.fleet.accepts_any_fence = fault == FleetFault::any_fence_accepted;
  world_.fleet.claims_never_end = fault == FleetFault::claims_never_end;
  machines_.reserve(2 * kMachines);  // programs refer to them
  for (const char* name : {"one", "two", "three"}) {
    const auto skew = static_cast<TimeUs>(world_.dice.below(7'200)) - 3'600;
    const auto number = static_cast<std::uint16_t>(machines_.size() + 1);
    machines_.emplace_back();
    machines_.back().site = std::make_unique<SimulatedSite>(
        world_.dice, name, number, kBeginning + skew * kSecondUs, world_.dice.one_in(2));
  }
  start_programs();
}

void FleetSimulation::start_programs() {
  for (FleetMachine& machine : machines_) {
    if (machine.program == nullptr)
      machine.program = std::make_unique<FleetProgram>(world_, machine, rules_of(*machine.site));
  }
}

std::string FleetSimulation::run() {
  const std::uint64_t steps = 300 + world_.dice.below(1'200);
  for (std::uint64_t i = 0; i < steps && world_.broken.empty(); ++i) step();
  if (world_.broken.empty()) calm_down();
  for (FleetMachine& machine : machines_) machine.program.reset();
  return world_.broken;
}

void FleetSimulation::step() {
  ++counts_.steps;
  world_.tell(choose());
  check();
}

std::string FleetSimulation::choose() {
  const std::uint64_t die = world_.dice.below(1'000);
  if (die < 480) {
    const FleetMachine& machine = any_machine();
    const std::string did = machine.site->step();
    return did.empty() ? "" : machine.site->name() + ": " + did;
  }
  if (die < 860) {
    const FleetMachine& machine = any_machine();
    if (machine.program != nullptr) (void)machine.program->step();
    return "";
  }
  if (die < 900) return operator_acts();
  if (die < 950) return time_passes();
  if (die < 960) return start_programs(), "";
  if (die < 970 && !world_.late.empty()) {
    const auto call = std::move(world_.late.back());
    world_.late.pop_back();
    world_.tell("a call of a killed luzia-fleet arrives:");
    return call(), "";
  }
  return die < 980 ? any_machine().site->queue(world_.dice.one_in(2)) : trouble();
}

std::string FleetSimulation::trouble() {
  const std::uint64_t die = world_.dice.below(100);
  if (die < 35) return cut_or_join();
  if (die < 60) return kill_program(any_machine());
  if (die < 75) return crash(any_machine());
  if (die < 85) return promote();
  if (die < 92) {
    const TimeUs by = world_.dice.one_in(2) ? kHourUs : -kHourUs;
    FleetMachine& machine = any_machine();
    machine.site->step_clock(by);
    return "the clock of " + machine.site->name() + " steps by " + std::to_string(by / kSecondUs) + " s";
  }
  if (die < 94) return day_without_network();
  return die < 97 ? restore() : take_same_name();
}

std::string FleetSimulation::time_passes() {
  constexpr TimeUs kLongest[] = {kSecondUs, 5 * kSecondUs, 6 * kSecondUs, 35 * kSecondUs, 70 * kSecondUs};
  const TimeUs longest = kLongest[world_.dice.below(5)];
  const TimeUs time = static_cast<TimeUs>(world_.dice.below(static_cast<std::uint64_t>(longest)));
  world_.pass(time);
  for (FleetMachine& machine : machines_) machine.site->pass(time);
  return std::to_string(time / kMillisecondUs) + " ms pass";
}

std::string FleetSimulation::day_without_network() {
  ++counts_.days_cut_off;
  world_.pass(kDayUs);
  for (FleetMachine& machine : machines_) {
    machine.cut = machine.cut || world_.dice.one_in(2);
    machine.site->pass(kDayUs);
  }
  return "a day passes, and not every machine reaches the database";
}

// ------------------------------------------------------------------------------------------ trouble

std::string FleetSimulation::cut_or_join() {
  FleetMachine& machine = any_machine();
  machine.cut = !machine.cut;
  counts_.cuts += machine.cut ? 1 : 0;
  return machine.site->name() + (machine.cut ? " is cut off from the database" : " reaches the database");
}

std::string FleetSimulation::kill_program(FleetMachine& machine) {
  if (machine.program == nullptr) return "";
  ++counts_.kills;
  machine.program.reset();
  return "luzia-fleet of " + machine.site->name() + " is killed";
}

std::string FleetSimulation::crash(FleetMachine& machine) {
  ++counts_.crashes;
  if (world_.dice.one_in(2)) world_.tell(kill_program(machine));
  world_.dice.one_in(4) ? machine.site->reboot() : machine.site->crash();
  return "the daemon of " + machine.site->name() + " is killed and starts again";
}

/// What was acknowledged is on the standby. What was not is there or not, as Caller decides.
std::string FleetSimulation::promote() {
  ++counts_.promotions;
  ++world_.primary;
  world_.locks.clear();
  if (fault_ == FleetFault::acknowledged_is_lost && behind_) {
    const TimeUs now = world_.fleet.now;
    world_.fleet = *behind_;
    world_.fleet.now = now;
  }
  return "the primary is lost, and the standby is promoted";
}

/// A backup behind what is mirrored: else nobody could know that the log went back.
std::string FleetSimulation::restore() {
  FleetMachine& machine = any_machine();
  const FleetRow* mirrored = world_.fleet.find(machine.site->name());
  if (machine.is_other || mirrored == nullptr || mirrored->groups.size() < 2) return "";
  ++counts_.restored;
  const Position backup = world_.dice.below(mirrored->groups.back()->first_position());
  machine.program.reset();
  machine.site = std::make_unique<SimulatedSite>(*machine.site, backup);
  machine.is_other = true;
  return machine.site->name() + " is restored from a backup of position " + std::to_string(backup);
}

std::string FleetSimulation::take_same_name() {
  const std::string name = any_machine().site->name();
  const FleetRow* mirrored = world_.fleet.find(name);
  if (machines_.size() == machines_.capacity() || mirrored == nullptr || mirrored->groups.empty()) return "";
  ++counts_.same_names;
  const auto number = static_cast<std::uint16_t>(machines_.size() + 1);
  machines_.emplace_back();
  machines_.back().site =
      std::make_unique<SimulatedSite>(world_.dice, name, number, world_.now, world_.dice.one_in(2));
  machines_.back().is_other = true;
  (void)machines_.back().site->queue(false);
  return "another machine has the name " + name;
}

/// A person gives it another name.
void FleetSimulation::rejoin(FleetMachine& machine) {
  const std::string name = machine.site->name();
  const bool is_restored = std::ranges::none_of(
      machines_, [&](const FleetMachine& other) { return !other.is_other && other.site->name() == name; });
  if (is_restored) gone_.insert(name);
  ++counts_.rejoined;
  machine.program.reset();
  machine.site->rename(name + "-again" + std::to_string(counts_.rejoined));
  machine.is_other = false;
  world_.tell(name + " joins the fleet again as " + machine.site->name());
}

// ---------------------------------------------------------------------------------------- operators

std::string FleetSimulation::operator_acts() {
  const std::uint64_t die = world_.dice.below(10);
  if (placed_.empty() || die < 6) return order_something("o" + std::to_string(placed_.size() + 1));
  auto which = placed_.begin();
  std::advance(which, static_cast<std::ptrdiff_t>(world_.dice.below(placed_.size())));
  if (die < 8) return place(which->first);
  if (die == 8) return (void)world_.fleet.look(which->first), "";
  const auto done = world_.fleet.withdraw(which->first);
  return "order " + which->first + (done ? " is withdrawn" : " cannot be withdrawn: " + done.error().message);
}

std::string FleetSimulation::order_something(const std::string& id) {
  constexpr const char* kTo[] = {"any", "any", "gpu", "one", "two", "three"};
  Placed order;
  order.to = kTo[world_.dice.below(6)];
  order.kind = "dispatch";
  order.project = world_.dice.one_in(4) ? "beta" : "alpha";
  order.seconds = world_.dice.one_in(3) ? 40 : 900;
  std::vector<std::string> targets;
  for (const auto& [job, row] : world_.fleet.jobs()) {
    if (std::ranges::any_of(machines_, [&](const auto& m) { return m.site->targets().contains(job); }))
      targets.push_back(job);
  }
  if (!targets.empty() && world_.dice.one_in(3)) {
    order.about = targets[world_.dice.below(targets.size())];
    order.to = "any";
    order.project = "alpha";
    if (world_.dice.one_in(2)) order.kind = "cancel";
  }
  order.request = order_bytes(order.kind == "cancel" ? request_to_cancel(id, order.about)
                                                     : request_to_dispatch(id, order.project));
  placed_[id] = std::move(order);
  return place(id);
}

std::string FleetSimulation::place(const std::string& id) {
  Placed& order = placed_.at(id);
  const std::string words = "an operator orders " + id + ": " + order.kind + " " + order.about + " in " +
                            order.project + " for " + order.to;
  if (world_.dice.one_in(10)) return words + ", and it gets lost";
  const auto made =
      world_.fleet.place(id, order.to, order.kind, order.project, order.about, order.request, order.seconds);
  if (world_.dice.one_in(10)) return words + ", and the reply gets lost";
  order.acknowledged = order.acknowledged || made.has_value();
  return words + (made ? ": " + made->state : ": " + made.error().code + " " + made.error().message);
}

// ------------------------------------------------------------------------------------------ the end

void FleetSimulation::calm_down() {
  world_.tell("from here on nothing is lost or delayed, and every machine has a name of its own");
  constexpr int kMostRounds = 600;
  for (FleetMachine& machine : machines_) {
    machine.cut = false;
    if (machine.is_other) rejoin(machine);
  }
  for (const auto& call : world_.late) call();
  world_.late.clear();
  start_programs();
  for (int round = 0; round < kMostRounds && world_.broken.empty() && !is_settled(); ++round) calm_step();
  if (world_.broken.empty()) world_.broken = check_end();
  if (!world_.broken.empty()) world_.tell("BROKEN: " + world_.broken);
}

void FleetSimulation::calm_step() {
  for (FleetMachine& machine : machines_) {
    machine.site->calm_step();
    for (int i = 0; i < 50 && machine.program->step(); ++i) machine.site->calm_step();
  }
  world_.pass(30 * kSecondUs);
  for (FleetMachine& machine : machines_) machine.site->pass(30 * kSecondUs);
  for (const auto& [id, order] : placed_) (void)world_.fleet.look(id);
  check();
}

bool FleetSimulation::is_settled() const {
  const bool all_over = std::ranges::all_of(world_.fleet.orders(), [&](const auto& each) {
    return each.second.done_at != 0 ||
           (each.second.state == "accepted" && gone_.contains(each.second.claimed_by));
  });
  return all_over && std::ranges::all_of(machines_, [&](const FleetMachine& machine) {
           return check_mirror(machine).empty() && machine.site->check_end().empty() &&
                  world_.fleet.fences(machine.site->name()).empty();
         });
}

// -------------------------------------------------------------------------------------------- rules

void FleetSimulation::check() {
  for (const FleetMachine& machine : machines_) {
    const std::string broken = machine.site->check();
    if (!broken.empty()) world_.break_rule(machine.site->name() + ": " + broken);
  }
  for (const auto& [id, order] : placed_) {
    if (order.acknowledged && !world_.fleet.orders().contains(id))
      world_.break_rule("order " + id + " was acknowledged and is lost");
    if (const auto jobs = started(id); jobs.size() > 1)
      world_.break_rule("order " + id + " was done twice: " + *jobs.begin() + " and " + *jobs.rbegin());
  }
  if (fault_ == FleetFault::acknowledged_is_lost && world_.dice.one_in(50)) behind_ = world_.fleet;
  if (!world_.broken.empty()) world_.tell("BROKEN: " + world_.broken);
}

std::set<std::string> FleetSimulation::started(const std::string& order) const {
  std::set<std::string> jobs;
  for (const FleetMachine& machine : machines_) {
    const auto here = machine.site->started().find(order);
    if (here != machine.site->started().end()) jobs.insert(here->second.begin(), here->second.end());
  }
  return jobs;
}

std::string FleetSimulation::check_mirror(const FleetMachine& machine) const {
  const std::string& name = machine.site->name();
  const FleetRow* row = world_.fleet.find(name);
  if (row == nullptr) return "site " + name + " is not mirrored";
  const auto cursor = machine.site->log().read_from(1);
  for (const auto& mirrored : row->groups) {
    const auto group = cursor->next();
    if (!group || *group == nullptr) return "site " + name + " has more groups in the mirror than in its log";
    if ((*group)->first_position() != mirrored->first_position() || (*group)->chain() != mirrored->chain())
      return "site " + name + " has another group at " + std::to_string(mirrored->first_position());
  }
  const Position end = machine.site->log().tip().position;
  if (row->held.position != end || (!row->groups.empty() && row->groups.back()->last_position() != end))
    return "site " + name + " is mirrored up to " + std::to_string(row->held.position) + " of " +
           std::to_string(end) + (machine.program ? ": " + machine.program->mirror_error() : "");
  return row->held.rows_position == end ? "" : "site " + name + " has older rows than its log";
}

std::string FleetSimulation::check_order(const FleetOrder& order) const {
  const bool was_accepted = order.state == "accepted" || order.state == "done";
  if (was_accepted && gone_.contains(order.claimed_by)) return "";  // with the log that knew of it
  if (order.done_at == 0) return "order " + order.id + " is lost: it is " + order.state + " for ever";
  if (order.kind != "dispatch") return "";
  const auto jobs = started(order.id);
  if (order.state != "done")
    return jobs.empty() ? "" : "order " + order.id + " is " + order.state + ", and it was done";
  const bool is_known = std::ranges::any_of(
      machines_, [&](const FleetMachine& machine) { return machine.site->jobs().contains(order.job); });
  if (!is_known) return "order " + order.id + " is said to be done, and no log has job " + order.job;
  return jobs.empty() || jobs.contains(order.job) ? ""
                                                  : "order " + order.id + " was done by " + *jobs.begin();
}

std::string FleetSimulation::check_end() const {
  for (const FleetMachine& machine : machines_) {
    for (const std::string& broken : {machine.site->check_end(), check_mirror(machine)}) {
      if (!broken.empty()) return broken;
    }
    if (!world_.fleet.fences(machine.site->name()).empty())
      return "site " + machine.site->name() + " has not heard of its fenced jobs";
  }
  for (const auto& [id, order] : world_.fleet.orders()) {
    if (std::string broken = check_order(order); !broken.empty()) return broken;
  }
  return "";
}

FleetSimulation::Counts& FleetSimulation::Counts::operator+=(const Counts& other) {
  steps += other.steps;
  orders += other.orders;
  done += other.done;
  refused += other.refused;
  expired += other.expired;
  fenced += other.fenced;
  groups += other.groups;
  cuts += other.cuts;
  kills += other.kills;
  crashes += other.crashes;
  promotions += other.promotions;
  days_cut_off += other.days_cut_off;
  restored += other.restored;
  same_names += other.same_names;
  rejoined += other.rejoined;
  return *this;
}

FleetSimulation::Counts FleetSimulation::counts() const {
  Counts counts = counts_;
  for (const auto& [id, order] : world_.fleet.orders()) {
    ++counts.orders;
    counts.done += order.state == "done" ? 1 : 0;
    counts.refused += order.state == "refused" ? 1 : 0;
    counts.expired += order.state == "expired" ? 1 : 0;
    counts.fenced += order.state == "done" && order.kind == "dispatch" && !order.about.empty() ? 1 : 0;
  }
  for (const FleetMachine& machine : machines_) {
    const FleetRow* row = world_.fleet.find(machine.site->name());
    counts.groups += row == nullptr ? 0 : row->groups.size();
  }
  return counts;
}

}  // namespace luzia::test
