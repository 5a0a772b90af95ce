#include "tools/luziad/upkeep/site.h"

#include <grp.h>
#include <unistd.h>

#include <utility>

#include "engine/log/store_identity.h"

namespace luzia {
namespace {

constexpr std::uint32_t kStoreFormat = 1;

std::uint16_t number_of(const std::string& store_id) {
  return static_cast<std::uint16_t>(checksum64(as_bytes(store_id)) & 0x7fff);
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

}  // namespace

Result<Site> find_site(const EventLog& log, const std::string& configured) {
  if (log.tip().position == 0) {
    const std::string id = to_hex(as_bytes(random_bytes(16)));
    return Site{configured.empty() ? host_name() : configured, id, number_of(id)};
  }
  auto identity = LUZIA_TRY(identity_of(log));
  const std::uint16_t number = number_of(identity.store_id);
  return Site{std::move(identity.site), std::move(identity.store_id), number};
}

std::vector<schema::SystemFactUnion> first_notes(const Site& site, bool new_store,
                                                 const std::string& boot_id) {
  std::vector<schema::SystemFactUnion> notes;
  if (new_store) {
    schema::StoreCreatedT created;
    created.site = site.name;
    created.store_id = site.store_id;
    created.format = kStoreFormat;
    notes.emplace_back().Set(std::move(created));
  }
  schema::DaemonStartedT started;
  started.version = LUZIA_VERSION;
  started.boot_id = boot_id;
  started.pid = static_cast<std::uint32_t>(getpid());
  notes.emplace_back().Set(std::move(started));
  return notes;
}

schema::SystemFactUnion rollback_accepted(const RollbackSign& sign) {
  schema::RollbackAcceptedT accepted;
  accepted.log_end = sign.log_end;
  accepted.seen = sign.seen;
  accepted.sign = sign.what;
  return domain_fact(std::move(accepted));
}

Result<gid_t> group_id(const std::string& name) {
  const group* entry = getgrnam(name.c_str());
  if (entry == nullptr) {
    return fail(ErrorKind::usage, "unknown_group", "[store] group: there is no group '" + name + "'",
                "name an existing group in luzia.toml, or leave it out");
  }
  return entry->gr_gid;
}

}  // namespace luzia
