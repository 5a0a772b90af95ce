// Runs git(1) with an argument vector, never through a shell, with bounded output and time. It runs as the
// caller's user, so never in the daemon: a repository's configuration can name programs (filters). Other
// programs and side effects are disabled: hooks, fsmonitor, pager, editor, signing, prompts, the network. No
// inherited environment variable points git at another repository or index. Blocks; any thread, no shared
// state.
//
// Errors: `no_git` (trouble: git cannot be run), `git_timeout` (trouble), `git_too_much` (trouble: the output
// exceeds the limit), `git_failed` (refused: git's own reason, one line).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// The latest end of one call or of many.
using GitDeadline = std::chrono::steady_clock::time_point;

/// The result of one run.
struct GitOutput {
  int exit_code = 0;  // 128 + signal number if a signal killed it
  std::string out;
  std::string err;  // only its beginning
};

class Git {
 public:
  using Words = std::vector<std::string>;
  /// Receives pieces of the standard output. Returns false to stop: git is then terminated.
  using Taker = std::function<bool(std::string_view piece)>;

  /// `directory`: absolute; git runs there.
  Git(std::string directory, GitDeadline deadline) : directory_(std::move(directory)), deadline_(deadline) {}

  /// Sets an environment variable for git, replacing an earlier value.
  void set(std::string name, std::string value) { variables_[std::move(name)] = std::move(value); }
  /// Lets git fetch objects that a partial clone lacks.
  void allow_network() { network_ = true; }
  const std::string& directory() const { return directory_; }
  GitDeadline deadline() const { return deadline_; }

  /// Runs to the end and returns the output, whatever the exit code.
  Result<GitOutput> run(const Words& arguments, std::string_view input = {}) const;
  /// Returns the standard output; a nonzero exit code is an error.
  Result<std::string> output(const Words& arguments, std::string_view input = {}) const;
  /// The same without one trailing line break.
  Result<std::string> line(const Words& arguments) const;
  Status pass(const Words& arguments, const Taker& take) const;

 private:
  Result<GitOutput> run(const Words& arguments, std::string_view input, const Taker& take) const;

  std::string directory_;
  GitDeadline deadline_;
  bool network_ = false;
  std::map<std::string, std::string> variables_;
};

/// Git's reason for failing, as an error of one line.
Error git_error(const GitOutput& output);

/// Splits text whose pieces each end with NUL.
std::vector<std::string> split_at_nul(std::string_view text);

}  // namespace luzia
