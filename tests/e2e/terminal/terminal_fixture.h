// A person at a terminal, and the jobs that have one.
#pragma once

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/terminal/terminal_program.h"

namespace luzia {

class TerminalTest : public DaemonTest {
 protected:
  /// luzia with these words, at a terminal.
  Words command(const Words& words) const;
  Words terminal_environment() const;

  /// The only job there is, once it runs.
  std::string running_job() const;
  /// The only job there is, whatever became of it.
  std::string running_or_ended_job() const;
  /// What the job has printed, without the lines that are added at its end.
  std::string recorded(const std::string& job) const;
  /// No process of the job is left, and nobody listens in its directory.
  void expect_nothing_left(const std::string& job) const;
};

}  // namespace luzia
