// Builds the bodies of the bot's calls (https://core.telegram.org/bots/api#sendmessage). Texts are sent
// without markup, so an agent's text cannot hide a link behind another name. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/notify/notice.h"

namespace luzia {

/// A message of ours, as stored in the state folder.
struct TelegramMessage {
  Position position = 0;  // of the event that it reports
  std::int64_t chat = 0;
  std::int64_t message = 0;
  std::string job;
  std::string request;  // id of a question or approval; empty: none
  bool approval = false;
  std::vector<std::string> answers;  // of its buttons, in order
  std::string text;
  bool closed = false;  // decided, and the message shows that
};

/// The message for a notice in that chat; not sent yet.
TelegramMessage telegram_message(const Notice& notice, std::int64_t chat);

/// Adds a button for each answer, or approve and deny. A question without answers to choose asks for a reply.
std::string send_body(const TelegramMessage& message);
/// The same text followed by the outcome, without buttons.
std::string edit_body(const TelegramMessage& message, const std::string& outcome);
/// A new text in reply to a person's message.
std::string reply_body(std::int64_t chat, std::int64_t to, const std::string& text);
/// Stops the progress indicator on a pressed button; `text` is shown to the person who pressed it.
std::string callback_body(const std::string& callback, const std::string& text);
/// Long polling for updates from `offset` on.
std::string updates_body(std::int64_t offset, int timeout_s);

/// Data attached to a button: the request, and the answer's index from 0, or approve (0) and deny (1).
std::string button_data(const std::string& request, std::size_t index);
struct PressedButton {
  std::string request;
  std::size_t index = 0;
};
/// nullopt for data that is not ours.
std::optional<PressedButton> parse_button(std::string_view data);

}  // namespace luzia
