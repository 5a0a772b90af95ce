// What a bot says: the bodies of calls (https://core.telegram.org/bots/api#sendmessage). Texts go as they
// are, without any markup, so nothing that an agent wrote can be a link under another name. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/notify/notice.h"

namespace luzia {

/// A message of ours, as the state folder keeps it.
struct TelegramMessage {
  Position position = 0;  // of the event that it tells
  std::int64_t chat = 0;
  std::int64_t message = 0;
  std::string job;
  std::string request;  // id of a question or approval; empty: it asks nothing
  bool approval = false;
  std::vector<std::string> answers;  // behind its buttons, in order
  std::string text;
  bool closed = false;  // decided, and the message says so
};

/// The message that tells the notice in that chat; not sent yet.
TelegramMessage telegram_message(const Notice& notice, std::int64_t chat);

/// With a button for each answer, or approve and deny; a question without answers to choose asks for a reply.
std::string send_body(const TelegramMessage& message);
/// The same text with what became of it below, and no buttons.
std::string edit_body(const TelegramMessage& message, const std::string& outcome);
/// A text of its own, as a reply to what somebody said.
std::string reply_body(std::int64_t chat, std::int64_t to, const std::string& text);
/// The end of the little clock on a pressed button; a text is shown to who pressed it.
std::string callback_body(const std::string& callback, const std::string& text);
/// Long polling for what comes after `offset` - 1.
std::string updates_body(std::int64_t offset, int timeout_s);

/// What stands behind a button: the request and the answer's place from 0, or approve (0) and deny (1).
std::string button_data(const std::string& request, std::size_t index);
struct PressedButton {
  std::string request;
  std::size_t index = 0;
};
/// Nothing for what is none of ours.
std::optional<PressedButton> parse_button(std::string_view data);

}  // namespace luzia
