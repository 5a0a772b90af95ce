// The commands of luzia-fleet, one function each; command_table.cc lists them. A command returns the exit
// code, or the error to print.
#pragma once

#include "tools/cli/invocation.h"

namespace luzia {

extern const Program kLuziaFleet;

Result<int> run_fleet(Invocation& invocation);
Result<int> init_fleet(Invocation& invocation);
Result<int> read_fleet(Invocation& invocation);
Result<int> show_fleet(Invocation& invocation);
Result<int> rebuild_fleet(Invocation& invocation);
Result<int> rejoin_fleet(Invocation& invocation);
Result<int> pass_on_orders(Invocation& invocation);
Result<int> list_orders(Invocation& invocation);
Result<int> withdraw_order(Invocation& invocation);

}  // namespace luzia
