#include "tools/luzia-fleet/postgres_mirror_store.h"

#include <array>

#include "engine/base/try.h"
#include "tools/luzia-fleet/tables.h"

namespace luzia {

Mirror::Connect PostgresMirrorStore::by(std::function<Result<Postgres>()> connect) {
  return [connect = std::move(connect)]() -> Result<std::unique_ptr<MirrorStore>> {
    auto database = LUZIA_TRY(connect());
    return std::make_unique<PostgresMirrorStore>(std::move(database));
  };
}

Status PostgresMirrorStore::named(const Status& written) const {
  if (written) return {};
  return tl::unexpected(with_schema_hint(written.error(), database_.last_sqlstate()));
}

Status PostgresMirrorStore::copy(const SiteName& name, const GroupsRead& read) {
  const Status copied = copy_groups(database_, name.site, read);
  if (copied) return {};
  return tl::unexpected(refusal_of(name, copied.error(), database_.last_sqlstate()));
}

Result<Position> PostgresMirrorStore::write_rows(FleetSession& daemon, const std::string& site,
                                                 const Touched& touched) {
  const ReadRows rows = LUZIA_TRY(read_rows(daemon, touched));
  LUZIA_TRY(named(luzia::write_rows(database_, site, rows)));
  return rows.position;
}

Status PostgresMirrorStore::rebuild_rows(FleetSession& daemon, const std::string& site) {
  return named(luzia::rebuild_rows(daemon, database_, site));
}

Status PostgresMirrorStore::set_rows_position(const std::string& site, Position position) {
  const std::array<PostgresValue, 2> values = {PostgresValue{site}, PostgresValue{std::to_string(position)}};
  LUZIA_TRY(database_.run("SELECT luzia.set_rows_position($1, $2)", values));
  return {};
}

Status PostgresMirrorStore::note_fault(const SiteName& name, const std::string& fault) {
  return luzia::note_fault(database_, name, fault);
}

}  // namespace luzia
