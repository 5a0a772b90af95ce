// luzia-telegram serve: receives people's messages from Telegram, forwards them to the daemon as their
// answers, and appends the outcome to the message that asked. The daemon keeps it running. It ends when its
// standard input closes, so at the latest with the daemon.
//
// Nothing is done twice. Each answer's command id is derived from its update, and the read position is stored
// only when the answer is durable. Open prompts are found again from the stored messages.
#pragma once

#include <string>

namespace luzia {

/// `line`: the settings. Returns the exit status when nothing is left to do.
int serve_bot(const std::string& line);

}  // namespace luzia
