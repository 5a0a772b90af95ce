// luzia-run's access to the job directory. The agent's user owns it and may put links, FIFOs or directories
// in place of our files. So every file is opened relative to one directory descriptor, without following
// links or blocking, and must be a regular file of that user. The files written at the end are for people;
// failing to write them is no error.
#pragma once

#include <cstdint>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/run_files.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

class JobFiles {
 public:
  /// Opens and claims the directory, then opens output.log and the agent's input. On failure returns false
  /// with a start error in `problem`.
  bool open(const Options& options, TextView& problem);
  /// Writes luzia-run and the agent (0: not started yet) into the directory's claim.
  void write_claim(const Options& options, unsigned long long runner_start, pid_t agent,
                   unsigned long long agent_start) const;
  /// Opens preflight.log for appending; -1 with a start error in `problem`.
  int open_preflight_log(TextView& problem) const;

  int input() const { return input_; }
  int output() const { return output_; }
  /// Size of the file that the agent received as its output, whatever file has that name now.
  std::uint64_t output_size() const;

  void write_pid(pid_t pid) const;
  void write_exit_json(const Options& options, const Ending& ending) const;
  /// Appends the empty line and `exit:<code>` that older tools read. Call it last.
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
