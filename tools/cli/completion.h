// Shell completion: the scripts, and the hidden command that they call: PROGRAM __complete -- WORDS.
#pragma once

#include "tools/cli/command.h"

namespace luzia {

extern const Command kCompletionCommand, kCompleteCommand;

}  // namespace luzia
