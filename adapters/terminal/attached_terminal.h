// Connects this process's own terminal to a job's: sends the keys typed here and shows the job's screen. One
// thread; while it runs, only it receives SIGINT, SIGTERM, SIGHUP and SIGWINCH.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/terminal/frames.h"
#include "engine/base/result.h"

namespace luzia {

struct Attachment {
  enum class Left : std::uint8_t {
    detached,     // by the detach keys, or because the own terminal closed
    interrupted,  // by a signal to this process
    ended,        // the agent ended
    lost,         // the program that held the terminal is gone
  };
  Left left = Left::lost;
  std::uint64_t shown = 0;  // bytes of output
  int signal = 0;           // of `interrupted`
};

/// Blocks until one side ends the connection. Always restores the own terminal (standard input and output):
/// modes, screen, cursor, mouse. Only a killed process cannot. Errors of connect_to_terminal().
Result<Attachment> attach_terminal(const std::string& job_dir, Role role);

}  // namespace luzia
