// Holds a job's terminal: runs the agent on it, writes the agent's output byte for byte to standard output
// (the job's output.log), and lets people attach through JOB_DIR/terminal.sock. It takes the agent's place
// under luzia-run and exits when the agent does. One thread, which sleeps while nothing happens. If the disk
// is full, the agent waits and no output is lost. Attached clients never make the agent wait.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/terminal/held_program.h"
#include "adapters/terminal/recent_output.h"
#include "adapters/terminal/terminal_guest.h"

namespace luzia {

class TerminalHost {
 public:
  /// Opens terminal and socket. Nothing runs yet, but clients may connect already. From here on the host
  /// controls the process: it ignores the keyboard's signals and passes SIGTERM on to the agent.
  /// `terminal_failed` (trouble).
  static Result<std::unique_ptr<TerminalHost>> open(const std::string& job_dir, TerminalSize size);
  ~TerminalHost();

  /// Errors of HeldProgram::start().
  Status start(const std::vector<std::string>& argv, int& exit_code);
  /// Runs until the agent ends; returns its wait status. By then all its output is recorded and sent.
  int run();

 private:
  explicit TerminalHost(std::string job_dir) : job_dir_(std::move(job_dir)) {}
  Status prepare(TerminalSize size);

  void step();
  void take_signals();
  void terminate(int sender);
  void reap();
  std::size_t read_agent();
  void record(std::string_view bytes);
  void write_record();
  void type();
  void welcome();
  void serve(TerminalGuest& guest);
  void take(TerminalGuest& guest, const TerminalFrame& frame);
  void resize(TerminalGuest& guest, TerminalSize size);
  void drop_guests();
  int patience_ms() const;
  void drain();
  void say_farewell();

  std::string job_dir_;
  HeldProgram agent_;
  Descriptor listener_, signals_;
  std::vector<std::unique_ptr<TerminalGuest>> guests_;
  RecentOutput recent_;
  std::string unrecorded_;  // waits for disk space
  std::string typed_;       // waits for the agent to read it
  TerminalSize size_;
  int runner_ = 0;  // the process that started us
  int status_ = 0;
  bool ended_ = false, output_over_ = false;
  std::int64_t hang_up_at_ms_ = 0;  // monotonic; 0: not asked to end
};

}  // namespace luzia
