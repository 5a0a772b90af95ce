// This process's own terminal, joined to a job's: keys go there, its screen comes here. One thread; while it
// runs, SIGINT, SIGTERM, SIGHUP and SIGWINCH come to it alone.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/terminal/frames.h"
#include "engine/base/result.h"

namespace luzia {

struct Attachment {
  enum class Left : std::uint8_t {
    detached,     // by the keys, or the own terminal was closed
    interrupted,  // by a signal to this process
    ended,        // the agent's end
    lost,         // the program that held the terminal is gone
  };
  Left left = Left::lost;
  std::uint64_t shown = 0;  // bytes of output
  int signal = 0;           // of `interrupted`
};

/// Stays until one side has enough. The own terminal (standard input and output) is put back in every case
/// but that of a killed process: modes, screen, cursor, mouse. Errors of connect_to_terminal().
Result<Attachment> attach_terminal(const std::string& job_dir, Role role);

}  // namespace luzia
