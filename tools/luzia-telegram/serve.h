// luzia-telegram serve: asks Telegram for what people say, carries it to the daemon as their answers, and
// writes below a message what became of its question. The daemon keeps it running; it ends when its standard
// input does, so with the daemon at the latest.
//
// Nothing is done twice: an update's answer has a command id made of the update's, and the place to read on
// from is kept only when the answer is durable. What is open is found again from the messages that were kept.
#pragma once

#include <string>

namespace luzia {

/// `line`: the settings. Returns the exit status when there is nothing left to do.
int serve_bot(const std::string& line);

}  // namespace luzia
