// The keys of a person who is attached, between what is for the agent and what is for us. Pure; one thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Ctrl-\ then d leaves; Ctrl-\ twice is one for the agent; before any other key it goes on to the agent too.
class DetachKeys {
 public:
  /// What of `typed` is for the agent; from the detaching keys on everything is left out.
  std::string pass(std::string_view typed);
  bool detached() const { return detached_; }

 private:
  bool after_prefix_ = false, detached_ = false;
  std::string prefix_;  // as it was typed
};

}  // namespace luzia
