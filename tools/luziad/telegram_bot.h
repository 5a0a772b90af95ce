// Keeps luzia-telegram serve running while [telegram] is configured, and writes what it says into the
// daemon's log. It holds the program's standard input open: the program ends when that does, so it never
// outlives the daemon, however that ends. One that ends by itself is started again, after a pause that grows
// from a second to a minute. Loop thread; a thread of its own waits for the program.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "adapters/notify/telegram.h"

namespace luzia {

class TelegramBot {
 public:
  TelegramBot() = default;
  ~TelegramBot() { close(); }
  TelegramBot(const TelegramBot&) = delete;
  TelegramBot& operator=(const TelegramBot&) = delete;

  /// Starts it, ends it, or starts it anew when something has changed. nullopt: it is not configured.
  void configure(std::optional<Telegram> plan);
  /// Ends it and waits for that.
  void close();

 private:
  std::optional<Telegram> plan_;
  std::jthread keeper_;
};

}  // namespace luzia
