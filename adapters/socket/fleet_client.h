// A Client whose requests become orders to machines of a fleet: the program luzia-fleet places them in the
// fleet's database and waits for the replies. So a client needs no libpq and knows no second protocol. Any
// thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/socket/client.h"

namespace luzia {

/// How --on names machines of a fleet: fleet:SITE, fleet:LABEL, fleet:any.
inline constexpr std::string_view kFleetScheme = "fleet:";

/// `program`: the words of `luzia-fleet order`. Errors (trouble): `no_fleet_program`: it is not installed. A
/// reply that does not come in time is `daemon_silent`; the order then stands.
Result<Client> connect_by_fleet(const std::string& to, std::vector<std::string> program,
                                SilenceLimit silence);

}  // namespace luzia
