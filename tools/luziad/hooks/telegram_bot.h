// Keeps luzia-telegram serve running while [telegram] is configured, and copies its output to the daemon's
// log. The program ends when its standard input closes, which the daemon holds open; so it never outlives the
// daemon. If it exits by itself, it is restarted after a pause that grows from a second to a minute. Loop
// thread; a separate thread waits for the program, and a worker for that thread.
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
  /// Returns the configured bot; nullopt: none.
  using Plan = std::function<std::optional<Telegram>()>;
  TelegramBot(Workers& workers, Plan read_plan) : workers_(workers), read_plan_(std::move(read_plan)) {}
  ~TelegramBot() { close(); }
  TelegramBot(const TelegramBot&) = delete;
  TelegramBot& operator=(const TelegramBot&) = delete;

  /// Starts, stops or restarts the program to match the configuration, without waiting. A restart begins once
  /// the previous program has ended. Also call it at the daemon's start.
  void config_changed() override { configure(read_plan_()); }
  /// Stops it permanently and waits for its end.
  void close() override;

 private:
  void configure(std::optional<Telegram> plan);
  void begin();

  Workers& workers_;
  Plan read_plan_;
  std::optional<Telegram> plan_;
  std::jthread keeper_;
  bool ending_ = false;  // a worker waits for the previous program
};

}  // namespace luzia
