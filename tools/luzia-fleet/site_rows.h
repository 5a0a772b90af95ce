// Rows of all sites from the readable tables, whole as each daemon had them, with the filters of its queries.
// Reads only. One thread.
#pragma once

#include <functional>

#include "adapters/postgres/postgres.h"
#include "engine/base/time.h"
#include "fleet.fb.h"

namespace luzia {

/// `not_a_reader` (refused): the role may not read the rows of other sites. `no_fleet_schema` (refused).
Status check_reader(Postgres& database);

/// Gives `send` the answer to a question, piece by piece: each of the sites, and nothing at the end. `now`:
/// of this machine. Errors: those of Postgres, `no_fleet_schema`; `not_in_fleet` (usage): the tables do not
/// have this. A site without an answer has `refused` instead:
/// - `no_such_job` (not_found), `ambiguous_job` (usage): as a daemon.
/// - `older_rows` (trouble): an older luzia-fleet has written them.
/// - `too_much` (trouble): they are more than fit into a frame.
Status answer_question(Postgres& database, const wire::FleetQuestion& question, TimeUs now,
                       const std::function<Status(wire::FleetAnswerT)>& send);

}  // namespace luzia
