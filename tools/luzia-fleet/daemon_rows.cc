// Rows of the readable tables, read over the session with the daemon.
#include "engine/base/try.h"
#include "tools/luzia-fleet/session.h"
#include "tools/luzia-fleet/tables.h"

namespace luzia {
namespace {

AskRows asking_daemon(FleetSession& daemon) {
  return [&daemon](wire::QueryT query) { return daemon.query(std::move(query)); };
}

}  // namespace

Result<ReadRows> read_rows(FleetSession& daemon, const Touched& touched) {
  return changed_rows(asking_daemon(daemon), touched, touched.last_us());
}

Status rebuild_rows(FleetSession& daemon, Postgres& database, const std::string& site) {
  const TimeUs as_of = LUZIA_TRY(newest_time(asking_daemon(daemon)));
  return rebuild_rows(asking_daemon(daemon), database, site, as_of);
}

}  // namespace luzia
