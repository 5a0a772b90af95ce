// Runs a small program to its end and returns its output: tmux, here or through a prefix. In a job's
// directory, programs that root starts run as the directory's owner. A tmux server can tell its clients to
// run commands, and another user's server must not make root run any. So they have neither root's terminal
// nor its environment. Any thread; blocks.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct ChildEnd {
  int code = 0;  // 128 + signal number if it was killed
  std::string out, err;
};

/// Runs in `folder`, without `TMUX` in its environment; an empty folder: in ours, with our account. No input.
/// Kills it after `patience`: `child_slow` (trouble). `cannot_run` (trouble): it cannot be started. Keeps the
/// first 4 MiB of each stream.
Result<ChildEnd> run_child(const std::vector<std::string>& argv, const std::string& folder,
                           std::chrono::milliseconds patience = std::chrono::seconds(10));

/// Runs on our own terminal to the end; returns the exit code.
Result<int> run_on_our_terminal(const std::vector<std::string>& argv, const std::string& folder);

}  // namespace luzia
