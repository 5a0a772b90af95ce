// Messages that a job's agent is being told: until it is confirmed that it has them, nobody else is told
// them. Pure, any thread.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "adapters/socket/server.h"
#include "engine/base/time.h"

namespace luzia {

class LentMessages {
 public:
  /// A hook prints and confirms at once. One that is still silent then hangs, and another one is told.
  static constexpr TimeUs kLongest = kMinuteUs;

  void lend(const std::string& job, const std::string& message, ConnectionId to, TimeUs monotonic) {
    lent_[{job, message}] = {to, monotonic};
  }
  void settle(const std::string& job, const std::string& message) { lent_.erase({job, message}); }
  bool is_lent(const std::string& job, const std::string& message, TimeUs monotonic) const {
    const auto found = lent_.find({job, message});
    return found != lent_.end() && monotonic - found->second.since < kLongest;
  }
  void connection_closed(ConnectionId connection) {
    std::erase_if(lent_, [connection](const auto& each) { return each.second.to == connection; });
  }

 private:
  struct Loan {
    ConnectionId to = 0;
    TimeUs since = 0;
  };
  std::map<std::pair<std::string, std::string>, Loan> lent_;  // by job and message
};

}  // namespace luzia
