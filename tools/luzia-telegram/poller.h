// A thread that waits for updates, because long polling blocks for most of a minute. One request at a time:
// the owner asks for the next updates after handling the previous ones. It lives until the process ends,
// because a poll in progress cannot be interrupted.
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

  /// Becomes readable when result() has a value.
  int fd() const { return wake_; }
  /// From the owner's thread: requests updates from `offset` on, after a pause of `pause_s` seconds.
  void ask(std::int64_t offset, std::uint64_t pause_s);
  std::optional<CallResult> result();

 private:
  void serve();

  const BotApi& api_;
  int wake_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::int64_t> offset_;  // under mutex_, like the next two
  std::uint64_t pause_s_ = 0;
  std::optional<CallResult> result_;
  std::thread thread_;
};

}  // namespace luzia
