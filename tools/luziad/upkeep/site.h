// Which machine's log this is: named by the first event of every log.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/log/event_log.h"
#include "engine/view/rollback.h"

namespace luzia {

struct Site {
  std::string name;
  std::string store_id;      // 32 hexadecimal digits, made when the store is
  std::uint16_t number = 0;  // 0..32767, from the store id: keeps job ids apart between machines
};

/// From the log, or made for an empty one: `configured` name, else the host's.
Result<Site> find_site(const EventLog& log, const std::string& configured);

/// What a daemon notes first: the store's creation if it is new, and its own start.
std::vector<schema::SystemFactUnion> first_notes(const Site& site, bool new_store,
                                                 const std::string& boot_id);

/// What it notes when a person has accepted an older log.
schema::SystemFactUnion rollback_accepted(const RollbackSign& sign);

Result<gid_t> group_id(const std::string& name);

}  // namespace luzia
