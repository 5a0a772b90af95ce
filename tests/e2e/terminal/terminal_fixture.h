// A person at a terminal, and jobs that run on it.
#pragma once

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/terminal/terminal_program.h"

namespace luzia {

class TerminalTest : public DaemonTest {
 protected:
  /// The words that run luzia at a terminal.
  Words command(const Words& words) const;
  Words terminal_environment() const;

  /// The id of the only job, once it runs.
  std::string running_job() const;
  /// The id of the only job, running or ended.
  std::string running_or_ended_job() const;
  /// The job's recorded output without the lines that luzia-run adds at its end.
  std::string recorded(const std::string& job) const;
  /// Expects that no process of the job is left and no socket in its directory is served.
  void expect_nothing_left(const std::string& job) const;
};

}  // namespace luzia
