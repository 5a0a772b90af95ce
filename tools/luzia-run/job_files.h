// The job directory from luzia-run's side. The agent's user owns it and may put links, FIFOs or directories
// where our files go: everything is opened relative to one directory descriptor, never followed, never waited
// for, and must be a regular file of that user. What is written at the end is for people; failing to write it
// is no error.
#pragma once

#include <cstdint>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/run_files.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

class JobFiles {
 public:
  /// Opens and claims the directory, then opens output.log and the agent's input. False with a start error in
  /// `problem`.
  bool open(const Options& options, TextView& problem);
  /// Puts ourselves and the agent (0: none yet) into the directory's claim, for whoever finds it.
  void write_claim(const Options& options, unsigned long long runner_start, pid_t agent,
                   unsigned long long agent_start) const;
  /// preflight.log, opened for appending and reading; -1 with a start error in `problem`.
  int open_preflight_log(TextView& problem) const;

  int input() const { return input_; }
  int output() const { return output_; }
  /// Of the file that the agent got as its output, whatever lies under that name now.
  std::uint64_t output_size() const;

  void write_pid(pid_t pid) const;
  void write_exit_json(const Options& options, const Ending& ending) const;
  /// The empty line and `exit:<code>` that older tools read, as the last thing of all.
  void append_exit_line(int code) const;

 private:
  bool claim(const Options& options, TextView& problem);
  int open_regular(const char* name, int flags, TextView& problem) const;
  void replace(const char* name, const TextView& content) const;

  int dir_ = -1;
  int claim_ = -1;
  int input_ = -1;
  int output_ = -1;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  bool give_away_ = false;  // we are root and the files belong to another user
};

}  // namespace luzia::run
