// Runs a program as a shell would, with exactly the given environment. For tests; one thread at a time per
// object. Files and pipes are closed, and children reaped, by the object that started them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/wait_until.h"

namespace luzia {

using Words = std::vector<std::string>;

/// As exec takes them, with a null at the end; `words` outlive it.
std::vector<char*> pointers(const Words& words);

struct Finished {
  int code = -1;  // 128 + signal for a killed one
  std::string out, err;
};

/// Runs to the end; one that does not end within a generous deadline is killed, and that is a test failure.
Finished run_to_end(const Words& words, const Words& environment, const std::string& input = {});

/// Runs beside the test, its output going to `out_file` (both streams). Killed when it goes out of scope.
/// `third` >= 0: a descriptor of ours that the program finds as its descriptor 3; no other is passed on.
class BesideProgram {
 public:
  BesideProgram(const Words& words, const Words& environment, const std::string& out_file,
                const std::function<void()>& before_exec = {}, int third = -1);
  ~BesideProgram();
  BesideProgram(const BesideProgram&) = delete;
  BesideProgram& operator=(const BesideProgram&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Waits for the end: its exit code, 128 + signal for a killed one. A test failure when it does not end.
  int end();
  /// After end(): it died of a signal, so that a shell would stop its script.
  bool signalled() const { return signalled_; }
  std::string output() const;

 private:
  pid_t pid_ = -1;
  bool over_ = false;
  bool signalled_ = false;
  int code_ = -1;
  std::string out_file_;
};

/// A process that exists and is no zombie.
bool is_running(pid_t pid);
/// Whether the process takes that signal itself: it is blocked, to be read.
bool looks_at(pid_t pid, int signal);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
Words lines_of(const std::string& text);

}  // namespace luzia
