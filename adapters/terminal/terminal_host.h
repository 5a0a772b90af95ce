// Holds the terminal of a job: runs the agent on it, records what it prints byte for byte on standard output
// (the job's output.log), and lets people attach by JOB_DIR/terminal.sock. It stands in the agent's place
// under luzia-run: its end is the agent's. One thread, which sleeps while nothing happens. A disk without
// room makes the agent wait, and nothing is lost; whoever is attached never makes it wait.
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
  /// Terminal and socket; nothing runs yet, but clients may connect already. The process is the host's from
  /// here on: it takes no notice of the keyboard's signals, and SIGTERM goes on to the agent.
  /// `terminal_failed` (trouble).
  static Result<std::unique_ptr<TerminalHost>> open(const std::string& job_dir, TerminalSize size);
  ~TerminalHost();

  /// Errors of HeldProgram::start().
  Status start(const std::vector<std::string>& argv, int& exit_code);
  /// To the agent's end: its wait status. By then everything it wrote is recorded and sent on.
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
  std::string unrecorded_;  // the disk has no room for it
  std::string typed_;       // the agent has not read it
  TerminalSize size_;
  int runner_ = 0;  // who started us
  int status_ = 0;
  bool ended_ = false, output_over_ = false;
  std::int64_t hang_up_at_ms_ = 0;  // monotonic; 0: not asked to end
};

}  // namespace luzia
