// Requests about the daemon and the store itself: ping, stop, reload, verify, rebuild, backup. Loop thread;
// long ones run on workers and report progress.
#pragma once

#include <functional>

#include "tools/luziad/parts.h"

namespace luzia {

class Upkeep {
 public:
  struct Doors {
    /// Ends the daemon in good order; agents go on.
    std::function<void()> stop;
    std::function<Status()> reload;
    /// Starts over with the rows of make_new_views().
    std::function<void()> restart_with_new_views;
    /// Fires a sample and answers how it went.
    std::function<void(const RequestId&, const std::string& hook)> try_hook;
  };
  Upkeep(Parts& parts, Doors doors) : parts_(parts), doors_(std::move(doors)) {}

  void control(const RequestId& to, const Caller& caller, const wire::Control& request);

 private:
  void verify(const RequestId& to);
  void rebuild(const RequestId& to);
  void backup(const RequestId& to, const std::string& target);
  /// Runs `work` on a worker and reports its words as the last progress.
  void run(const RequestId& to, std::function<Result<std::string>()> work);
  std::function<void(Position)> progress_to(const RequestId& to, std::string what, Position total);
  std::string describe() const;

  Parts& parts_;
  Doors doors_;
  bool rebuilding_ = false;
};

}  // namespace luzia
