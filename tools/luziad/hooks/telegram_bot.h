// Keeps luzia-telegram serve running while [telegram] is configured, and writes what it says into the
// daemon's log. It holds the program's standard input open: the program ends when that does, so it never
// outlives the daemon, however that ends. One that ends by itself is started again, after a pause that grows
// from a second to a minute. Loop thread; a thread of its own waits for the program, a worker for that
// thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "adapters/notify/telegram.h"
#include "tools/luziad/loop.h"

namespace luzia {

class TelegramBot {
 public:
  explicit TelegramBot(Workers& workers) : workers_(workers) {}
  ~TelegramBot() { close(); }
  TelegramBot(const TelegramBot&) = delete;
  TelegramBot& operator=(const TelegramBot&) = delete;

  /// Starts it, ends it, or starts it anew when something has changed, once the one before has ended; does
  /// not wait for that. nullopt: it is not configured.
  void configure(std::optional<Telegram> plan);
  /// Ends it for good and waits for that.
  void close();

 private:
  void begin();

  Workers& workers_;
  std::optional<Telegram> plan_;
  std::jthread keeper_;
  bool ending_ = false;  // a worker waits for the one before
};

}  // namespace luzia
