// A user's machine in a scratch folder: home, store, and a configuration with the projects `demo` and
// `other`. Programs get their own environment and nothing of the tester's. At the end the fixture kills every
// process with the scratch folder's name in its command line or environment: daemon, luzia-runs, agents.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/program.h"
#include "tests/e2e/programs.h"
#include "tests/matchers.h"

namespace luzia {

using Json = nlohmann::json;

class DaemonTest : public testing::Test {
 protected:
  DaemonTest();
  ~DaemonTest() override;

  std::string path(const std::string& name) const { return scratch_ + "/" + name; }
  std::string home() const { return path("home"); }
  std::string project() const { return path("demo"); }
  std::string store() const { return store_; }
  std::string job_dir(const std::string& job) const;
  /// Adds lines to luzia.toml beside the projects. Call before the first daemon starts.
  void configure(const std::string& toml);
  /// Moves the store (and the jobs) elsewhere.
  void place_store(const std::string& store, const std::string& jobs);
  /// Writes an executable script to the project's folder.
  void script(const std::string& name, const std::string& text) const;

  Finished luzia(const Words& words, const std::string& input = {}, const Words& more_environment = {}) const;
  Finished query(const Words& words) const;
  /// The standard output as JSON. The test fails if it is no JSON or the exit code is not 0.
  Json luzia_json(Words words) const;
  Json query_json(Words words) const;
  Words environment(const Words& more = {}) const;

  /// The id of the acknowledged job. If the job is refused, the test fails and the id is empty.
  std::string dispatch(const std::string& task, const Words& options = {}) const;
  /// As dispatch(), and waits until the job is in this state.
  std::string dispatch_until(const std::string& wanted, const std::string& task,
                             const Words& options = {}) const;
  Json job(const std::string& id) const;
  std::string state(const std::string& id) const { return job(id).value("state", ""); }
  bool becomes(const std::string& id, const std::string& state) const;
  /// Waits until the job ends in any way and returns its row.
  Json ended(const std::string& id) const;
  /// Waits for the job's end, checks state and reason, and returns the row.
  Json ended_as(const std::string& id, const std::string& state, const std::string& reason) const;
  std::vector<Json> events(const Words& options = {}) const;
  std::vector<Json> events_of(const std::string& job, const std::string& type) const;
  std::size_t count(const std::string& job, const std::string& type) const {
    return events_of(job, type).size();
  }
  /// Waits for the job's `number`th question and returns its id.
  std::string asked(const std::string& job, std::size_t number = 1) const;
  /// The same for its requests for approval.
  std::string requested(const std::string& job, std::size_t number = 1) const;
  std::uint64_t position() const;
  /// Runs luzia, which must end with this code and one line that contains `why`, and change nothing.
  void expect_refused(const Words& words, int code, const std::string& why) const;

  void start_daemon() const;
  /// Starts a daemon that exits at a failpoint (engine/base/failpoint.h), given as "NAME@PASSING". The next
  /// daemon, started by the next client, does not. `pid` is 0 if the daemon reached the failpoint while it
  /// started.
  struct FailingDaemon {
    Finished started;
    pid_t pid = 0;
  };
  FailingDaemon start_daemon_that_ends_at(const std::string& point) const;
  pid_t daemon_pid() const;
  /// Sends kill -9 and returns when the daemon is gone.
  void kill_daemon() const;
  /// Sends SIGTERM and returns when the daemon is gone.
  void stop_daemon() const;
  void kill_and_start_daemon() const;
  void restart_daemon() const;
  /// Starts a daemon with the wall clock of shift_clock(). A client with LUZIA_JOB_ID in its environment
  /// starts no other one.
  void start_shifted_daemon();
  /// Sets its clock to so many microseconds after ours.
  void shift_clock(std::int64_t us) const;
  /// Simulates a power cut: stops all processes that the test has started, then kills them.
  void halt_machine() const;
  /// A function for BesideProgram to call first, so that the program finds the boot id of a restarted
  /// machine. If the kernel allows no mounts, the program finds the old boot id; boots_seen() shows which.
  std::function<void()> after_a_reboot(const std::string& boot_id) const;
  /// The boot ids that daemons saw, in order.
  Words boots_seen() const;
  /// Live processes with this text in their environment (`LUZIA_JOB_ID=<id>` finds the agent).
  std::vector<pid_t> processes_of(const std::string& job) const;
  void expect_verified() const;
  /// All live processes that the test has started.
  std::vector<pid_t> own_processes() const;

  std::optional<BesideProgram> shifted_daemon_;

 private:
  void write_config() const;
  std::string id_of(const std::string& job, const std::string& type, const char* key,
                    std::size_t number) const;

  std::string scratch_, store_, jobs_, toml_;
};

/// The number of lines that start with "luzia". Every refusal must have exactly one.
std::size_t error_lines(const std::string& err);

}  // namespace luzia
