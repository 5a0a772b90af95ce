// A MirrorStore in PostgreSQL. One thread.
#pragma once

#include "adapters/postgres/postgres.h"
#include "tools/luzia-fleet/mirror.h"

namespace luzia {

class PostgresMirrorStore : public MirrorStore {
 public:
  explicit PostgresMirrorStore(Postgres database) : database_(std::move(database)) {}
  /// What Mirror connects by.
  static Mirror::Connect by(std::function<Result<Postgres>()> connect);

  bool is_usable() const override { return database_.is_usable(); }
  Status transaction(const std::function<Status()>& body) override { return database_.transaction(body); }
  Result<HeldSite> enter(const SiteName& name) override { return enter_site(database_, name); }
  Status copy(const SiteName& name, const GroupsRead& read) override;
  Result<Position> write_rows(FleetSession& daemon, const std::string& site, const Touched& touched) override;
  Status rebuild_rows(FleetSession& daemon, const std::string& site) override;
  Status set_rows_position(const std::string& site, Position position) override;
  Status note_fault(const SiteName& name, const std::string& fault) override;

 private:
  Status named(const Status& written) const;

  Postgres database_;
};

}  // namespace luzia
