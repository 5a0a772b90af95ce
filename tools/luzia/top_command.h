// The command luzia top, for the table of all commands.
#pragma once

#include "tools/luzia/command.h"

namespace luzia {

extern const Command kTopCommand;

}  // namespace luzia
