#include "tests/e2e/fleet/fleet_life.h"

#include <gtest/gtest.h>

#include "tests/e2e/fleet/fleet_fixture.h"

namespace luzia::test {
namespace {

constexpr std::uint64_t kMostCutBytes = 20'000;
constexpr int kStepsBetweenChecks = 8;

}  // namespace

FleetLife::Counts& FleetLife::Counts::operator+=(const Counts& other) {
  steps += other.steps;
  jobs += other.jobs;
  kills += other.kills;
  breaks += other.breaks;
  promotions += other.promotions;
  return *this;
}

FleetLife::FleetLife(std::uint64_t seed, bool is_long) : dice_(seed), is_long_(is_long) {
  servers_[0] = PostgresServer::start();
  servers_[1] = PostgresServer::standby_of(*servers_[0]);
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    relays_[i] = std::make_unique<DatabaseRelay>(servers_[i]->folder());
  }
  const Finished made = init_fleet_database(servers_[0]->url("fleet"), {"--machine", "a", "--machine", "b"});
  EXPECT_EQ(made.code, 0) << made.err;
  for (const std::string site : {"a", "b"}) {
    machines_.push_back(std::make_unique<FleetMachine>(
        site,
        "postgresql://luzia-" + site + "@" + relays_[0]->address() + "," + relays_[1]->address() + "/fleet"));
    machines_.back()->start_daemon();
  }
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
  any_machine().begin_jobs(jobs, dice_.one_in(3) ? "1" : "0.05");
}

void FleetLife::kill_something() {
  ++counts_.kills;
  FleetMachine& machine = any_machine();
  switch (dice_.below(4)) {
    case 0:
      tell("kill -9 of the daemon of " + machine.site());
      return machine.kill_and_start_daemon();
    case 1:
      tell("stop and start of the daemon of " + machine.site());
      return machine.restart_daemon();
    case 2:
      tell("kill -9 of luzia-fleet of " + machine.site());
      return machine.kill_fleet();
    default:
      tell("kill -9 of the database");
      servers_[in_charge_]->kill();
      dispatch();
      servers_[in_charge_]->restart();
  }
}

void FleetLife::break_network() {
  ++counts_.breaks;
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
  servers_[1]->restart();
}

/// Beside the luzia-fleet that the daemon keeps running. One of the two may have to give way (exit code 5).
void FleetLife::rebuild() {
  FleetMachine& machine = any_machine();
  tell("rebuild of the rows of " + machine.site());
  const Finished rebuilt = machine.fleet({"rebuild"});
  EXPECT_TRUE(rebuilt.code == 0 || rebuilt.code == 5) << rebuilt.err;
}

std::string FleetLife::check() {
  tell("check");
  for (const auto& machine : machines_) {
    if (std::string broken = machine->broken_job(); !broken.empty()) return broken;
  }
  auto database = Postgres::connect({.url = servers_[in_charge_]->url_of("postgres", "fleet")});
  if (!database) return database.error().message;
  for (const auto& machine : machines_) {
    if (std::string broken = mirror_difference(*machine, *database); !broken.empty()) return broken;
  }
  return testing::Test::HasFailure() ? "see the failed expectation above" : "";
}

}  // namespace luzia::test
