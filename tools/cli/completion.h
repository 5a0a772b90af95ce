// Completion scripts for shells, and the hidden command that they ask: PROGRAM __complete -- WORDS.
#pragma once

#include "tools/cli/command.h"

namespace luzia {

extern const Command kCompletionCommand, kCompleteCommand;

}  // namespace luzia
