// Runs a program as a shell would, with exactly the given environment. Each object belongs to one thread at a
// time. The object that started a program closes its files and pipes and reaps it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/wait_until.h"

namespace luzia {

using Words = std::vector<std::string>;

/// Arguments for exec with a final null. `words` must outlive the result.
std::vector<char*> pointers(const Words& words);

struct Finished {
  int code = -1;  // 128 + signal if it was killed
  std::string out, err;
};

/// Runs a program to its end. If it exceeds a generous deadline, it is killed and the test fails.
Finished run_to_end(const Words& words, const Words& environment, const std::string& input = {});

/// Runs a program beside the test; both output streams go to `out_file`. The destructor kills it. If `third`
/// >= 0, the program gets this descriptor as its descriptor 3; it inherits no other.
class BesideProgram {
 public:
  BesideProgram(const Words& words, const Words& environment, const std::string& out_file,
                const std::function<void()>& before_exec = {}, int third = -1);
  ~BesideProgram();
  BesideProgram(const BesideProgram&) = delete;
  BesideProgram& operator=(const BesideProgram&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Waits for the end and returns the exit code, or 128 + signal if it was killed. The test fails if it does
  /// not end.
  int end();
  /// After end(): whether a signal ended it, so that a shell would stop its script.
  bool signalled() const { return signalled_; }
  std::string output() const;

 private:
  pid_t pid_ = -1;
  bool over_ = false;
  bool signalled_ = false;
  int code_ = -1;
  std::string out_file_;
};

/// Whether the process exists and is no zombie.
bool is_running(pid_t pid);
/// Whether the process blocks this signal in order to read it itself (signalfd).
bool looks_at(pid_t pid, int signal);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
Words lines_of(const std::string& text);

}  // namespace luzia
