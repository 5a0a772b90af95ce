// Starts luzia-proxy for a sandbox that may reach listed hosts only. The proxy runs outside, as the agent's
// user; what it listens at lies inside. So the agent sees neither its process nor its files, and a proxy can
// be reached from its own sandbox alone.
#pragma once

#include <sys/types.h>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

class Proxy {
 public:
  /// Before luzia-run enters the sandbox's namespaces. `record`: the attempt's file of hosts.
  bool start(const Options& options, int record, TextView& problem);
  /// Once they are made, with their loopback up: from now on the proxy serves.
  bool serve(TextView& problem);
  /// Ends it, so that its counts are in the file. Kills one that does not end at once.
  void end();
  /// A child of luzia-run; -1: none.
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int talk_ = -1;
};

}  // namespace luzia::run
