// What a Mirror writes to: one connection to the fleet's database. Implemented by PostgresMirrorStore; the
// simulation has one in memory. One thread.
#pragma once

#include <functional>

#include "tools/luzia-fleet/site.h"
#include "tools/luzia-fleet/touched.h"

namespace luzia {

/// Errors: those of Postgres, and `no_fleet_schema`.
class MirrorStore {
 public:
  virtual ~MirrorStore() = default;
  /// False after the connection was lost: connect anew.
  virtual bool is_usable() const = 0;
  /// As Postgres::transaction().
  virtual Status transaction(const std::function<Status()>& body) = 0;
  /// As enter_site().
  virtual Result<HeldSite> enter(const SiteName& name) = 0;
  /// Writes groups, as a part of the transaction. Other errors: as refusal_of() names them.
  virtual Status copy(const SiteName& name, const GroupsRead& read) = 0;
  /// Reads these rows from the daemon and writes them. Returns the position as of which they were read.
  virtual Result<Position> write_rows(FleetSession& daemon, const std::string& site,
                                      const Touched& touched) = 0;
  /// Replaces all rows of the site.
  virtual Status rebuild_rows(FleetSession& daemon, const std::string& site) = 0;
  virtual Status set_rows_position(const std::string& site, Position position) = 0;
  virtual Status note_fault(const SiteName& name, const std::string& fault) = 0;
};

}  // namespace luzia
