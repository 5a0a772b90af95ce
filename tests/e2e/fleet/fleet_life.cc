#include "tests/e2e/fleet/fleet_life.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia::test {
namespace {

constexpr std::uint64_t kMostCutBytes = 20'000;
constexpr int kStepsBetweenChecks = 8;
constexpr std::array<const char*, 3> kSites = {"a", "b", "c"};
/// A task that notes that it has run as an order.
constexpr const char* kOrderedTask = "echo $LUZIA_JOB_ID >> ordered";

}  // namespace

FleetLife::Counts& FleetLife::Counts::operator+=(const Counts& other) {
  steps += other.steps;
  jobs += other.jobs;
  orders += other.orders;
  kills += other.kills;
  breaks += other.breaks;
  promotions += other.promotions;
  return *this;
}

FleetLife::FleetLife(std::uint64_t seed, bool is_long, bool may_have_spaces)
    : dice_(seed), is_long_(is_long) {
  if (may_have_spaces) spaces_ = NetworkSpaces::make(servers_.size() + kSites.size());
  const auto address = [this](std::size_t i) { return spaces_ ? NetworkSpaces::address(i) : std::string(); };
  within(0, [&] { servers_[0] = PostgresServer::start(address(0)); });
  within(1, [&] { servers_[1] = PostgresServer::standby_of(*servers_[0], address(1)); });
  std::string hosts;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (!spaces_) relays_[i] = std::make_unique<DatabaseRelay>(servers_[i]->folder());
    hosts += (i == 0 ? "" : ",") + (spaces_ ? address(i) : relays_[i]->address());
  }
  Words roles = {"--operator", "ana", "--projects", "demo"};
  for (const std::string site : kSites) roles.insert(roles.end(), {"--machine", site});
  const Finished made = init_fleet_database(servers_[0]->url("fleet"), roles);
  EXPECT_EQ(made.code, 0) << made.err;
  for (const std::string site : kSites) {
    const auto url = [&](const std::string& role) {
      return "postgresql://" + role + "@" + hosts + "/fleet?sslmode=disable";
    };
    machines_.push_back(std::make_unique<FleetMachine>(
        site, url("luzia-" + site),
        "people_url = \"" + url("ana") + "\"\norders = [\"dispatch\"]\nlabels = [\"all\"]\n" +
            demo_user_toml()));
    at_machine(machines_.size() - 1, [](FleetMachine& machine) { machine.start_daemon(); });
  }
}

void FleetLife::within(std::size_t space, const std::function<void()>& act) const {
  std::optional<WithinSpace> inside;
  if (spaces_) inside.emplace(*spaces_, space);
  act();
}

std::string FleetLife::run(int steps) {
  for (int i = 1; i <= steps; ++i) {
    step();
    if (i % kStepsBetweenChecks != 0 && i != steps) continue;
    if (std::string broken = check(); !broken.empty()) return broken;
  }
  return {};
}

void FleetLife::step() {
  ++counts_.steps;
  dispatch();
  if (dice_.one_in(2)) order();
  switch (dice_.below(8)) {
    case 0:
    case 1:
    case 2:
      return kill_something();
    case 3:
    case 4:
      return break_network();
    case 5:
      return has_standby() && dice_.one_in(3) ? promote() : dispatch();
    case 6:
      return has_standby() ? lose_standby() : kill_something();
    default:
      return rebuild();
  }
}

void FleetLife::dispatch() {
  const int jobs = static_cast<int>(1 + dice_.below(4));
  counts_.jobs += static_cast<std::uint64_t>(jobs);
  const std::string seconds = dice_.one_in(3) ? "1" : "0.05";
  at_machine(any_machine(), [&](FleetMachine& machine) { machine.begin_jobs(jobs, seconds); });
}

void FleetLife::place(std::size_t machine, Order& order, const std::string& patience) {
  at_machine(machine, [&](FleetMachine& at) {
    order.placed = at.luzia({"--on", "fleet:" + order.to, "--patience", patience, "dispatch", "demo",
                             kOrderedTask, "--command-id", order.id});
  });
}

/// Whether it arrives shows later.
void FleetLife::order() {
  const char* to[] = {"any", "all", kSites[dice_.below(kSites.size())]};
  orders_.push_back({"order" + std::to_string(++counts_.orders), to[dice_.below(std::size(to))]});
  tell("order " + orders_.back().id + " to " + orders_.back().to);
  place(any_machine(), orders_.back(), "1s");
}

void FleetLife::kill_something() {
  ++counts_.kills;
  const std::size_t which = any_machine();
  const std::string site = kSites[which];
  switch (dice_.below(4)) {
    case 0:
      tell("kill -9 of the daemon of " + site);
      return at_machine(which, [](FleetMachine& machine) { machine.kill_and_start_daemon(); });
    case 1:
      tell("stop and start of the daemon of " + site);
      return at_machine(which, [](FleetMachine& machine) { machine.restart_daemon(); });
    case 2:
      tell("kill -9 of luzia-fleet of " + site);
      return at_machine(which, [](FleetMachine& machine) { machine.kill_fleet(); });
    default:
      tell("kill -9 of the database");
      servers_[in_charge_]->kill();
      dispatch();
      within(in_charge_, [this] { servers_[in_charge_]->restart(); });
  }
}

void FleetLife::break_network() {
  ++counts_.breaks;
  spaces_ ? break_link() : break_relay();
}

void FleetLife::break_link() {
  // A standby that was promoted has none.
  const std::size_t first = has_standby() ? 0 : 1;
  const std::size_t space = first + dice_.below(servers_.size() + machines_.size() - first);
  const bool is_cut = !dice_.one_in(3);
  tell(std::string(is_cut ? "link cut: " : "link slow: ") +
       (space < servers_.size() ? "server " + std::to_string(space) : kSites[space - servers_.size()]));
  is_cut ? spaces_->cut(space) : spaces_->slow(space);
  dispatch();
  order();
  if (dice_.one_in(2)) kill_something();
  spaces_->restore(space);
}

void FleetLife::break_relay() {
  DatabaseRelay& relay = *relays_[in_charge_];
  Network network = dice_.one_in(2) ? Network::cut : Network::stalled;
  if (is_long_ && dice_.one_in(6)) network = Network::half_open;
  if (dice_.one_in(3)) {
    const std::uint64_t bytes = 1 + dice_.below(kMostCutBytes);
    tell("network cut after " + std::to_string(bytes) + " bytes");
    relay.cut_after(bytes);
  } else {
    tell(network == Network::cut       ? "network cut"
         : network == Network::stalled ? "network stalled"
                                       : "network half open");
    relay.set(network);
  }
  dispatch();
  order();
  if (dice_.one_in(2)) kill_something();
  relay.set(Network::open);
}

void FleetLife::promote() {
  ++counts_.promotions;
  tell("kill -9 of the primary, its standby is promoted");
  servers_[0]->kill();
  dispatch();
  servers_[1]->promote();
  in_charge_ = 1;
}

/// No commit is acknowledged until it is back.
void FleetLife::lose_standby() {
  ++counts_.kills;
  tell("kill -9 of the standby");
  servers_[1]->kill();
  dispatch();
  within(1, [this] { servers_[1]->restart(); });
}

/// Beside the luzia-fleet that the daemon keeps running. One of the two may have to give way (exit code 5).
void FleetLife::rebuild() {
  at_machine(any_machine(), [this](FleetMachine& machine) {
    tell("rebuild of the rows of " + machine.site());
    const Finished rebuilt = machine.fleet({"rebuild"});
    EXPECT_TRUE(rebuilt.code == 0 || rebuilt.code == 5) << rebuilt.err;
  });
}

/// Each order is placed again until its reply is there, which names the job. Together the jobs are what has
/// run.
std::string FleetLife::broken_order() {
  Words named, ran;
  for (Order& order : orders_) {
    // The first that comes after a break may still find the old connection.
    for (int i = 0; i < 3 && order.placed.code != 0; ++i) place(0, order, "60s");
    if (order.placed.code != 0) return "order " + order.id + " to " + order.to + ": " + order.placed.err;
    const Words said = lines_of(order.placed.out);
    named.push_back(said.empty() ? "" : said.front());
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto has_run = [&] {
      for (const auto& machine : machines_) {
        const Words lines = lines_of(read_text(machine->project() + "/ordered"));
        if (std::ranges::find(lines, named[i]) != lines.end()) return true;
      }
      return false;
    };
    if (!wait_until(has_run)) return "job " + named[i] + " of order " + orders_[i].id + " did not run";
  }
  for (const auto& machine : machines_) {
    for (std::string& line : lines_of(read_text(machine->project() + "/ordered"))) ran.push_back(line);
  }
  std::ranges::sort(named);
  std::ranges::sort(ran);
  if (ran == named) return {};
  return std::to_string(named.size()) + " orders ran " + std::to_string(ran.size()) +
         " times: " + testing::PrintToString(ran) + " instead of " + testing::PrintToString(named);
}

std::string FleetLife::check() {
  tell("check");
  for (const auto& machine : machines_) {
    if (std::string broken = machine->broken_job(); !broken.empty()) return broken;
  }
  if (std::string broken = broken_order(); !broken.empty()) return broken;
  auto database = Postgres::connect({.url = servers_[in_charge_]->url_of("postgres", "fleet")});
  if (!database) return database.error().message;
  for (const auto& machine : machines_) {
    if (std::string broken = mirror_difference(*machine, *database); !broken.empty()) return broken;
  }
  return testing::Test::HasFailure() ? "see the failed expectation above" : "";
}

}  // namespace luzia::test
