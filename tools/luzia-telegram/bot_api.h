// Calls of the Bot API (https://core.telegram.org/bots/api). Any thread, one call at a time per object.
#pragma once

#include <string>

#include "adapters/notify/telegram_updates.h"

namespace luzia {

struct CallResult {
  enum class How { done, later, never };  // later: another try may help
  How how = How::later;
  std::string detail;  // the error message; never contains the token
  std::uint64_t retry_after_s = 0;
  int status = 0;  // HTTP status; 0: no answer
  TelegramAnswer answer;
  std::string body;
};

class BotApi {
 public:
  /// `api`: "https://api.telegram.org".
  BotApi(std::string api, std::string token) : api_(std::move(api)), token_(std::move(token)) {}

  CallResult call(const std::string& method, const std::string& body, std::uint64_t timeout_ms) const;

 private:
  std::string api_, token_;
};

}  // namespace luzia
