// luzia-telegram send: sends one notice to each chat. Its input and output: adapters/notify/telegram.h.
#pragma once

#include <string>

namespace luzia {

/// Returns the exit status.
int send_notice(const std::string& input);

}  // namespace luzia
