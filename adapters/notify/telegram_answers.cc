#include "adapters/notify/telegram_answers.h"

#include <algorithm>

namespace luzia {
namespace {

constexpr char kUnknown[] = "This message is not known here any more: answer with luzia questions.";
constexpr char kHowTo[] =
    "Reply to the message of a question to answer it; buttons do the same. luzia questions lists what is "
    "open.";

/// An approval's answer: yes or no; nullopt for anything else.
std::optional<bool> yes_or_no(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const char* yes : {"yes", "y", "approve", "approved", "ok"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"no", "n", "deny", "denied"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

TelegramAction pressed(const TelegramUpdate& update, const TelegramKnown& known) {
  const auto button = parse_button(update.data);
  if (!button) return TelegramIgnore{"a button that is none of ours"};
  const TelegramMessage* message = known.message(update.chat, update.message);
  if (message == nullptr || message->request != button->request) return TelegramSay{kUnknown, true};
  if (message->approval) {
    if (button->index > 1) return TelegramIgnore{"a button that is none of ours"};
    return TelegramDecision{message->job, message->request, button->index == 0};
  }
  if (button->index >= message->answers.size()) return TelegramIgnore{"a button that is none of ours"};
  return TelegramReply{message->job, message->request, message->answers[button->index]};
}

TelegramAction typed(const TelegramUpdate& update, const TelegramKnown& known) {
  if (update.text.empty()) return TelegramIgnore{"a message without text"};
  if (update.reply_to == 0) return TelegramSay{kHowTo};
  const TelegramMessage* message = known.message(update.chat, update.reply_to);
  if (message == nullptr) return TelegramSay{kUnknown, true};
  if (message->request.empty()) return TelegramSay{"That message asks nothing."};
  if (!message->approval) return TelegramReply{message->job, message->request, update.text};
  const auto approve = yes_or_no(update.text);
  if (!approve) return TelegramSay{"Say approve or deny: nothing was decided."};
  return TelegramDecision{message->job, message->request, *approve};
}

}  // namespace

std::string telegram_person(const TelegramUpdate& update) {
  return update.from + " by Telegram (user " + std::to_string(update.user) + ")";
}

TelegramAction act_on(const TelegramUpdate& update, const std::vector<std::int64_t>& chats,
                      const TelegramKnown& known) {
  if (update.chat == 0) return TelegramIgnore{"an update of another kind"};
  if (std::ranges::find(chats, update.chat) == chats.end()) {
    return TelegramIgnore{"chat " + std::to_string(update.chat) + " (" + update.from +
                          ") is not among [telegram] chats"};
  }
  return update.callback.empty() ? typed(update, known) : pressed(update, known);
}

}  // namespace luzia
