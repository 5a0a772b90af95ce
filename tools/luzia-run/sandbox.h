// Confines what luzia-run starts: own namespaces, no privileges, and only the files that the launcher lists
// (sandbox_view.h). luzia-run itself keeps its files and processes.
//
// The first process in there is the keeper: it holds the namespaces, adopts orphans, puts back mounts that
// were lost (sandbox_covers.h), and takes everything with it when luzia-run ends, even by SIGKILL. Agent and
// checks are luzia-run's own children in the same namespaces, so signals, exit codes and resource usage are
// theirs. A daemon of root needs no user namespace. Agents can make none: they could remove what they may
// only read.
//
// Rejected: bubblewrap as a wrapper. It ends on the TERM that is meant for the agent, turns a signal into an
// exit code, needs a user namespace even for root, and would be a program to install.
#pragma once

#include <sys/types.h>

#include "tools/luzia-run/options.h"
#include "tools/luzia-run/proxy.h"
#include "tools/luzia-run/text.h"

namespace luzia::run {

class Sandbox {
 public:
  Sandbox() = default;
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Makes the sandbox, if `options` asks for one. False: it cannot be made, and nothing may be started;
  /// `problem` then begins with "sandbox_unavailable". `record`: the file of hosts, if it has a proxy. `log`:
  /// the agent's output, where the keeper says why it ends the attempt.
  bool open(const Options& options, int record, int log, TextView& problem);
  /// Before the agent starts, when nothing runs in there: from now on what is guarded is only read, also by
  /// checks, which may execute what the agent has left. False as above.
  bool guard(TextView& problem);
  bool is_open() const { return keeper_ > 0; }
  /// Whether this child of luzia-run is the sandbox's own: its keeper, which never ends by itself, or its
  /// proxy.
  bool owns(pid_t pid) const { return pid > 0 && (pid == keeper_ || pid == proxy_.pid()); }
  /// The attempt is over: what it did in the network is in its record from now on.
  void close_network() { proxy_.end(); }
  /// No orphan of what was started lives in there.
  bool has_no_orphans() const;

  /// In the child, which may be suspended in vfork, before it changes its user: into the namespaces, and no
  /// way to new privileges. Without a sandbox both do nothing.
  bool enter() const;
  /// In the child, after that change: gives up all privileges.
  bool seal() const;

 private:
  bool enter_namespaces(const Options& options, TextView& problem) const;
  bool fill_maps(const Options& options, TextView& problem) const;
  bool start_keeper(const Options& options, int log, TextView& problem);

  Proxy proxy_;
  pid_t keeper_ = -1;
  int talk_ = -1;            // to the keeper
  int mounts_ = -1;          // the mount namespace of what is started
  int guarded_mounts_ = -1;  // that from guard() on
};

}  // namespace luzia::run
