// Separates an attached person's keys into those for the agent and those for us. Pure; one thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Ctrl-\ then d detaches. Ctrl-\ twice sends one to the agent. Before any other key, Ctrl-\ goes to the
/// agent too.
class DetachKeys {
 public:
  /// Returns the part of `typed` for the agent. Drops everything from the detach keys on.
  std::string pass(std::string_view typed);
  bool detached() const { return detached_; }

 private:
  bool after_prefix_ = false, detached_ = false;
  std::string prefix_;  // the bytes as typed
};

}  // namespace luzia
