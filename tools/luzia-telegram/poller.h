// The thread that waits for updates: long polling blocks for most of a minute. One at a time: the next are
// asked for when the owner has dealt with those before. Destroyed by the end of the process only, since a
// poll that is under way cannot be broken off.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/luzia-telegram/bot_api.h"

namespace luzia {

class Poller {
 public:
  explicit Poller(const BotApi& api);

  /// Becomes readable when result() has something.
  int fd() const { return wake_; }
  /// From the owner's thread: asks for what comes from `offset` on, after so long a pause.
  void ask(std::int64_t offset, std::uint64_t pause_s);
  std::optional<CallResult> result();

 private:
  void serve();

  const BotApi& api_;
  int wake_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::int64_t> offset_;  // under mutex_, as the next two
  std::uint64_t pause_s_ = 0;
  std::optional<CallResult> result_;
  std::thread thread_;
};

}  // namespace luzia
