// A program on a pseudo terminal of its own. The calling process must lead its session, as luzia-run has it:
// the terminal becomes that session's, and the program stays in the caller's process group, so that whoever
// signals or stops the group of the attempt meets both. One thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "adapters/terminal/descriptor.h"
#include "adapters/terminal/terminal_size.h"
#include "engine/base/result.h"

namespace luzia {

class HeldProgram {
 public:
  /// The terminal alone. `terminal_failed` (trouble).
  static Result<HeldProgram> open(TerminalSize size);

  /// Runs it, with default signal handling and PATH of our environment. `cannot_run` (trouble): the message
  /// names the program and why; `exit_code` is what shells end with then (127: not found, else 126).
  Status start(const std::vector<std::string>& argv, int& exit_code);

  /// Readable: output; not blocking. At the end of everything on the terminal reading fails with EIO.
  int master() const { return master_.get(); }
  pid_t pid() const { return pid_; }
  void resize(TerminalSize size) const;
  /// Lets whoever is in front draw anew.
  void redraw() const;
  /// A signal to the program's group, which may be ours too: then it comes to us as well.
  void signal_group(int number) const;
  /// As when a terminal is closed: SIGHUP to the program and to whoever is in front.
  void hang_up() const;

 private:
  Descriptor master_, slave_;
  pid_t pid_ = -1;
};

}  // namespace luzia
