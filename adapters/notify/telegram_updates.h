// What people say to a bot: the answer of getUpdates (https://core.telegram.org/bots/api#getting-updates), as
// far as it concerns us. What is not as described there is passed over, never trusted. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct TelegramUpdate {
  std::int64_t id = 0;
  std::int64_t chat = 0;      // 0: it is none of the two kinds that we know
  std::int64_t message = 0;   // of a button: the message that it stands below
  std::int64_t reply_to = 0;  // of a text: the message that it replies to; 0: none
  std::string from;           // who: a name for people, as they chose it
  std::int64_t user = 0;      // the same as a number that nobody chooses
  std::string text;           // what was typed
  std::string callback;       // of a button: its id, to be answered
  std::string data;           // of a button: what we have put there
};

/// How the other side answered a call: `result` as JSON, or why not.
struct TelegramAnswer {
  bool ok = false;
  int error_code = 0;
  std::string description;
  std::uint64_t retry_after_s = 0;  // asked for with error 429
  std::int64_t message = 0;         // of sendMessage: the message that was made
};

/// In the order in which they came; those without an id are left out. `bad_updates` (trouble): the text is no
/// answer of the API.
Result<std::vector<TelegramUpdate>> parse_updates(std::string_view body);
/// Of any call; an answer that is none is an error without a description.
TelegramAnswer parse_answer(std::string_view body);

}  // namespace luzia
