// Keeps luzia-telegram serve running while [telegram] is configured, and writes what it says into the
// daemon's log. It holds the program's standard input open: the program ends when that does, so it never
// outlives the daemon, however that ends. One that ends by itself is started again, after a pause that grows
// from a second to a minute. Loop thread; a thread of its own waits for the program, a worker for that
// thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "adapters/notify/telegram.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class TelegramBot final : public Follower {
 public:
  /// What the configuration says of it; nullopt: it is not configured.
  using Plan = std::function<std::optional<Telegram>()>;
  TelegramBot(Workers& workers, Plan read_plan) : workers_(workers), read_plan_(std::move(read_plan)) {}
  ~TelegramBot() { close(); }
  TelegramBot(const TelegramBot&) = delete;
  TelegramBot& operator=(const TelegramBot&) = delete;

  /// Starts it, ends it, or starts it anew when something has changed, once the one before has ended; does
  /// not wait for that. At the start of the daemon, too.
  void config_changed() override { configure(read_plan_()); }
  /// Ends it for good and waits for that.
  void close() override;

 private:
  void configure(std::optional<Telegram> plan);
  void begin();

  Workers& workers_;
  Plan read_plan_;
  std::optional<Telegram> plan_;
  std::jthread keeper_;
  bool ending_ = false;  // a worker waits for the one before
};

}  // namespace luzia
