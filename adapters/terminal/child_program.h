// Runs a small program to its end and takes what it prints: tmux, here or by way of a prefix. In a job's
// directory root's programs run as its owner: a tmux server may tell its clients to run commands, and that
// of another user must not tell root. Any thread; blocks.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct ChildEnd {
  int code = 0;  // 128 + signal for a killed one
  std::string out, err;
};

/// In `folder`, without `TMUX` in its environment; empty: where and as we are. Nothing on its input. Killed
/// with an error (`child_slow`, trouble) when it takes longer. `cannot_run` (trouble) when it cannot be
/// started. Of each stream the first 4 MiB are kept.
Result<ChildEnd> run_child(const std::vector<std::string>& argv, const std::string& folder,
                           std::chrono::milliseconds patience = std::chrono::seconds(10));

/// On our own terminal, to its end: its exit code.
Result<int> run_on_our_terminal(const std::vector<std::string>& argv, const std::string& folder);

}  // namespace luzia
