// Runs git(1) with an argument vector, never through a shell, with bounded output and time. It runs as
// whoever calls, so never in the daemon: a repository's configuration can name programs (filters). What else
// it can name is off: hooks, fsmonitor, pager, editor, signing, prompts, the network. Nothing inherited
// points git at another repository or index. Blocks; any thread, nothing is shared.
//
// Errors: `no_git` (trouble: it cannot be run), `git_timeout` (trouble), `git_too_much` (trouble: more output
// than is taken), `git_failed` (refused: git's own reason, one line).
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

/// Until when; of one call or of many.
using GitDeadline = std::chrono::steady_clock::time_point;

/// What one run left behind.
struct GitOutput {
  int exit_code = 0;  // 128 + signal when it was killed
  std::string out;
  std::string err;  // its beginning
};

class Git {
 public:
  using Words = std::vector<std::string>;
  /// Called with pieces of the standard output; false: no more is wanted, and git is ended.
  using Taker = std::function<bool(std::string_view piece)>;

  /// `directory` absolute: where it runs.
  Git(std::string directory, GitDeadline deadline) : directory_(std::move(directory)), deadline_(deadline) {}

  /// A variable for it, in place of an earlier value.
  void set(std::string name, std::string value) { variables_[std::move(name)] = std::move(value); }
  /// Lets it fetch what a partial clone lacks.
  void allow_network() { network_ = true; }
  const std::string& directory() const { return directory_; }
  GitDeadline deadline() const { return deadline_; }

  /// To its end, whatever its exit code.
  Result<GitOutput> run(const Words& arguments, std::string_view input = {}) const;
  /// Its standard output; a failure is an error.
  Result<std::string> output(const Words& arguments, std::string_view input = {}) const;
  /// The same without one line break at the end.
  Result<std::string> line(const Words& arguments) const;
  Status pass(const Words& arguments, const Taker& take) const;

 private:
  Result<GitOutput> run(const Words& arguments, std::string_view input, const Taker& take) const;

  std::string directory_;
  GitDeadline deadline_;
  bool network_ = false;
  std::map<std::string, std::string> variables_;
};

/// Why git failed, as an error with one line.
Error git_error(const GitOutput& output);

/// Pieces of text that each end with NUL.
std::vector<std::string> split_at_nul(std::string_view text);

}  // namespace luzia
