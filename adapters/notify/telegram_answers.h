// Decides what to do about a message from a person to the bot. Pure; any thread.
#pragma once

#include <functional>
#include <variant>

#include "adapters/notify/telegram_messages.h"
#include "adapters/notify/telegram_updates.h"

namespace luzia {

/// Do nothing: the message is not for us, or from a chat that is not allowed.
struct TelegramIgnore {
  std::string why;
};
/// Send a text back to the person.
struct TelegramSay {
  std::string text;
  bool unknown = false;  // it is about a message that is unknown, perhaps not recorded yet
};
struct TelegramReply {
  std::string job, question, answer;
};
struct TelegramDecision {
  std::string job, approval;
  bool approve = false;
};
using TelegramAction = std::variant<TelegramIgnore, TelegramSay, TelegramReply, TelegramDecision>;

/// Looks up our messages in the state folder. Null: not known (any more).
struct TelegramKnown {
  /// By chat and message number.
  std::function<const TelegramMessage*(std::int64_t chat, std::int64_t message)> message;
};

/// The person's name in the log: "@ann by Telegram (user 7)".
std::string telegram_person(const TelegramUpdate& update);

/// Accepts updates from chats in `chats` only. A button gives the answer of its own message only; a text
/// answers the message that it replies to.
TelegramAction act_on(const TelegramUpdate& update, const std::vector<std::int64_t>& chats,
                      const TelegramKnown& known);

}  // namespace luzia
