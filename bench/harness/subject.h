// The daemon under test. It has its own scratch home and is started, stopped and killed like a user's.
#pragma once

#include <sys/types.h>

#include <string>

#include "adapters/socket/client.h"

namespace luzia::bench {

class Subject {
 public:
  /// `bin`: folder tree with luzia, luziad, luzia-run (build tree or installed). `scratch`: created and
  /// removed here.
  Subject(std::string bin, std::string scratch, int max_running);
  ~Subject();
  Subject(const Subject&) = delete;

  /// Starts luziad and waits until it answers; returns how many seconds that took.
  double start();
  void stop();
  void kill_hard();
  pid_t pid() const { return pid_; }
  const std::string& home() const { return home_; }
  std::string socket() const { return home_ + "/store/socket"; }
  std::string store() const { return home_ + "/store"; }
  std::string config() const { return home_ + "/luzia.toml"; }
  /// Path of one of the programs.
  std::string program(const std::string& name) const;
  Client connect() const;

 private:
  std::string bin_, home_;
  pid_t pid_ = 0;
};

/// A request to dispatch `task` in project "bench".
wire::RequestUnion dispatch_request(const std::string& task);
/// Pauses the queue: no further job starts.
void pause(const Subject& subject);

}  // namespace luzia::bench
