// Runs a program on its own pseudo terminal. The calling process must lead its session, as it does under
// luzia-run: the terminal becomes that session's. The program stays in the caller's process group, so a
// signal to the attempt's group reaches both. One thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "adapters/terminal/terminal_size.h"
#include "engine/base/descriptor.h"
#include "engine/base/result.h"

namespace luzia {

class HeldProgram {
 public:
  /// Opens only the terminal. `terminal_failed` (trouble).
  static Result<HeldProgram> open(TerminalSize size);

  /// Starts the program with default signal handling and PATH from our environment. `cannot_run` (trouble):
  /// the message names the program and the reason. Then `exit_code` is the one that shells use (127: not
  /// found, else 126).
  Status start(const std::vector<std::string>& argv, int& exit_code);

  /// The nonblocking descriptor of the program's output. When everything on the terminal has ended, reading
  /// fails with EIO.
  int master() const { return master_.get(); }
  pid_t pid() const { return pid_; }
  void resize(TerminalSize size) const;
  /// Makes the foreground program redraw its screen.
  void redraw() const;
  /// Signals the program's group. If that is our group too, we receive the signal as well.
  void signal_group(int number) const;
  /// Acts as if the terminal was closed: SIGHUP to the program and to the foreground program.
  void hang_up() const;

 private:
  Descriptor master_, slave_;
  pid_t pid_ = -1;
};

}  // namespace luzia
