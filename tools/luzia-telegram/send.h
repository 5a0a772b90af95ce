// luzia-telegram send: tells one notice to each chat. What it reads and says: adapters/notify/telegram.h.
#pragma once

#include <string>

namespace luzia {

/// The exit status.
int send_notice(const std::string& input);

}  // namespace luzia
