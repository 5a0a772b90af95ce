// Sends notices by a Telegram bot. Each notice runs luzia-telegram send in a separate process, so the daemon
// needs no TLS library. luzia-telegram serve, which the daemon keeps running, receives people's answers.
//
// Standard input of send: the settings as a line, then the message as a line; it goes to each chat in the
// settings. Standard output: a line that says what happened, and perhaps "retry_after SECONDS". Exit status:
// see luzia-post. Blocks; for a delivery thread.
#pragma once

#include "adapters/notify/delivery.h"
#include "adapters/notify/telegram_settings.h"

namespace luzia {

struct Telegram {
  HookCommand sender;  // its command is luzia-telegram
  TelegramSettings settings;
};

/// Sends the notice once to each chat, even if a delivery is retried.
Delivery send_by_telegram(const Telegram& telegram, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
