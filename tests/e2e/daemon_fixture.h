// A user's machine in a scratch folder: home, configuration with the projects `demo` and `other`, store. The
// programs get an environment of their own, nothing of the tester's. At the end every process that carries
// the scratch folder's name in its command line or environment is killed: daemon, luzia-runs, agents.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/program.h"
#include "tests/e2e/programs.h"

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
  /// Before the first daemon: lines of luzia.toml beside the projects.
  void configure(const std::string& toml);
  /// Lets the store (and jobs) lie elsewhere.
  void place_store(const std::string& store, const std::string& jobs);
  /// An executable script in the project's folder.
  void script(const std::string& name, const std::string& text) const;

  Finished luzia(const Words& words, const std::string& input = {}, const Words& more_environment = {}) const;
  Finished query(const Words& words) const;
  /// The standard output as JSON; a test failure if it is not, or the exit code is not 0.
  Json luzia_json(Words words) const;
  Json query_json(Words words) const;
  Words environment(const Words& more = {}) const;

  /// The id of the acknowledged job; empty and a test failure if it was refused.
  std::string dispatch(const std::string& task, const Words& options = {}) const;
  Json job(const std::string& id) const;
  std::string state(const std::string& id) const { return job(id).value("state", ""); }
  bool becomes(const std::string& id, const std::string& state) const;
  /// Waits for the end of the job (any end) and returns its row.
  Json ended(const std::string& id) const;
  /// The same, and expects that end.
  Json ended_as(const std::string& id, const std::string& state, const std::string& reason) const;
  std::vector<Json> events(const Words& options = {}) const;
  std::vector<Json> events_of(const std::string& job, const std::string& type) const;
  std::uint64_t position() const;

  void start_daemon() const;
  /// Starts a daemon that ends by itself at a point (engine/base/failpoint.h), "NAME@PASSING". The next one,
  /// which whoever asks then starts, does not. `pid` is 0 when it has come to the point while it started.
  struct FailingDaemon {
    Finished started;
    pid_t pid = 0;
  };
  FailingDaemon start_daemon_that_ends_at(const std::string& point) const;
  pid_t daemon_pid() const;
  /// kill -9; returns when it is gone.
  void kill_daemon() const;
  /// SIGTERM; returns when it is gone.
  void stop_daemon() const;
  /// As a power cut does: everything that the test has started stands still, then is gone.
  void halt_machine() const;
  /// For a program to begin with (BesideProgram): it finds itself after a restart of the machine. Where the
  /// kernel allows no mounts it finds the same boot as before; `boots_seen` tells.
  std::function<void()> after_a_reboot(const std::string& boot_id) const;
  /// The boot ids that daemons found, in order.
  Words boots_seen() const;
  /// Live processes with this text in their environment (`LUZIA_JOB_ID=<id>`: the agent's).
  std::vector<pid_t> processes_of(const std::string& job) const;
  void expect_verified() const;
  /// Everything the test has started and that still runs.
  std::vector<pid_t> own_processes() const;

 private:
  void write_config() const;

  std::string scratch_, store_, jobs_, toml_;
};

/// Lines that start with "luzia"; every refusal has exactly one.
std::size_t error_lines(const std::string& err);

}  // namespace luzia
