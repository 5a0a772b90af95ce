// A machine of a fleet: a daemon with a home and a store of its own that keeps luzia-fleet running, its jobs,
// and what the database must have in common with its log. One thread.
#pragma once

#include "adapters/postgres/postgres.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {

/// The program that mirrors, as it was built.
std::string fleet_program_path();

class FleetMachine : public DaemonTest {
 public:
  /// `url`: the value of [fleet] url; `toml`: further configuration.
  FleetMachine(const std::string& site, const std::string& url, const std::string& toml = {});
  /// Takes effect with the next daemon.
  void belong(const std::string& site, const std::string& url);

  using DaemonTest::asked;
  using DaemonTest::daemon_pid;
  using DaemonTest::dispatch;
  using DaemonTest::dispatch_until;
  using DaemonTest::ended;
  using DaemonTest::environment;
  using DaemonTest::events;
  using DaemonTest::events_of;
  using DaemonTest::kill_and_start_daemon;
  using DaemonTest::kill_daemon;
  using DaemonTest::luzia;
  using DaemonTest::path;
  using DaemonTest::position;
  using DaemonTest::project;
  using DaemonTest::query;
  using DaemonTest::restart_daemon;
  using DaemonTest::shift_clock;
  using DaemonTest::start_daemon;
  using DaemonTest::start_daemon_that_ends_at;
  using DaemonTest::start_shifted_daemon;
  using DaemonTest::state;
  using DaemonTest::stop_daemon;
  using DaemonTest::store;

  const std::string& site() const { return site_; }
  /// Runs luzia-fleet to its end.
  Finished fleet(const Words& words) const;
  /// What luzia-fleet last said in STORE/fleet.status; null: nothing yet.
  Json report() const;
  /// The code of the error that it is in; empty: none.
  std::string reported_error() const;
  /// The luzia-fleet that the daemon keeps running; 0: there is none at the moment.
  pid_t fleet_pid() const;
  /// Waits for it, and ends it with kill -9. The daemon starts another.
  void kill_fleet() const;

  /// Dispatches jobs that run for so many seconds, and note that they have run.
  void begin_jobs(int count, const std::string& seconds = "0.1");
  /// Waits for their ends. Returns which one did not run exactly once, or failed; empty: none.
  std::string broken_job() const;
  /// The jobs so far count no more: their log was replaced.
  void forget_jobs();

 private:
  void TestBody() override {}

  std::string site_, toml_;
  Words jobs_;
};

/// Waits until the database has the whole log of the machine, whose jobs have all ended, and all its rows.
/// Returns how they differ; empty: site_groups holds exactly the groups of the log, in order and each once,
/// and the readable tables hold what `luzia-query export analytics` writes as of that position.
std::string mirror_difference(const FleetMachine& machine, Postgres& database);

}  // namespace luzia
