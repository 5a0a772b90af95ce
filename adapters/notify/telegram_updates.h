// Parses the answer of getUpdates (https://core.telegram.org/bots/api#getting-updates), as far as Luzia needs
// it. Skips anything that differs from that description. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct TelegramUpdate {
  std::int64_t id = 0;
  std::int64_t chat = 0;      // 0: neither of the two kinds of update that we handle
  std::int64_t message = 0;   // of a button: the message that it belongs to
  std::int64_t reply_to = 0;  // of a text: the message that it replies to; 0: none
  std::string from;           // the sender's name, as they chose it
  std::int64_t user = 0;      // the sender's number, assigned by Telegram
  std::string text;           // the text typed
  std::string callback;       // of a button: the id to acknowledge
  std::string data;           // of a button: the data that we attached
};

/// The API's answer to a call: `result` as JSON, or the error.
struct TelegramAnswer {
  bool ok = false;
  int error_code = 0;
  std::string description;
  std::uint64_t retry_after_s = 0;  // requested with error 429
  std::int64_t message = 0;         // of sendMessage: the new message
};

/// Returns updates in order of arrival, without those that have no id. `bad_updates` (trouble): the text is
/// not an answer of the API.
Result<std::vector<TelegramUpdate>> parse_updates(std::string_view body);
/// For any call; a text that is not an answer becomes an error without a description.
TelegramAnswer parse_answer(std::string_view body);

}  // namespace luzia
