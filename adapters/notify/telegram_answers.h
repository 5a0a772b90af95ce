// What is to be done about something that somebody said to the bot. Pure; any thread.
#pragma once

#include <functional>
#include <variant>

#include "adapters/notify/telegram_messages.h"
#include "adapters/notify/telegram_updates.h"

namespace luzia {

/// Nothing: it is not for us, or of a chat that may say nothing.
struct TelegramIgnore {
  std::string why;
};
/// A word back to who said it.
struct TelegramSay {
  std::string text;
  bool unknown = false;  // it is about a message that is not known, or not known yet
};
struct TelegramReply {
  std::string job, question, answer;
};
struct TelegramDecision {
  std::string job, approval;
  bool approve = false;
};
using TelegramAction = std::variant<TelegramIgnore, TelegramSay, TelegramReply, TelegramDecision>;

/// Our messages, as the state folder has them. Null: not known (any more).
struct TelegramKnown {
  /// By its number in that chat.
  std::function<const TelegramMessage*(std::int64_t chat, std::int64_t message)> message;
};

/// Who said it, as the log names them: "@ann by Telegram (user 7)".
std::string telegram_person(const TelegramUpdate& update);

/// Only from a chat of `chats`; a button stands for the answer of its own message alone, a text answers the
/// message that it replies to.
TelegramAction act_on(const TelegramUpdate& update, const std::vector<std::int64_t>& chats,
                      const TelegramKnown& known);

}  // namespace luzia
