// What the daemon passes to luzia-telegram on standard input, and where the bot's token comes from. Only
// luzia-telegram reads the token: it is in no argument, event or log. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct TelegramSettings {
  std::string api;             // "https://api.telegram.org"
  std::string token_file;      // either this
  std::string token_variable;  // or this, from luzia-telegram's environment
  std::vector<std::int64_t> chats;
  std::string socket;                 // the daemon's
  std::string folder;                 // of TelegramStore
  std::uint64_t timeout_ms = 30'000;  // of one call
  bool operator==(const TelegramSettings&) const = default;
};

/// To and from one line of JSON. nullopt if the text is not valid.
std::string settings_text(const TelegramSettings& settings);
std::optional<TelegramSettings> parse_settings(std::string_view text);

/// `telegram_token` (refused or usage): there is no token, it does not look like one ("123456:ABC-..."), or
/// accounts other than its owner can read its file. The message names the file or variable, never the token.
Result<std::string> read_token(const std::string& token_file, const std::string& token_variable);

/// The bot's number: the beginning of its token, and no secret.
std::string bot_number(std::string_view token);

}  // namespace luzia
