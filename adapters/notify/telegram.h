// Telling by a Telegram bot: luzia-telegram send, a process of its own for each notice, so that the daemon
// carries no TLS library. What people answer is the business of luzia-telegram serve, which the daemon keeps
// running.
//
// On the standard input of send: the settings as a line, the message as a line (its chat is each of the
// settings'). On its standard output: a line of what happened, and perhaps "retry_after SECONDS". Exit status
// as of luzia-post. Blocks; for a delivery thread.
#pragma once

#include "adapters/notify/delivery.h"
#include "adapters/notify/telegram_settings.h"

namespace luzia {

struct Telegram {
  HookCommand sender;  // its command is luzia-telegram
  TelegramSettings settings;
};

/// The same notice is sent once to each chat, also when it is tried again.
Delivery tell_by_telegram(const Telegram& telegram, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
