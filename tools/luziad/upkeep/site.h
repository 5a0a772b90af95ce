// Identifies the machine that a log belongs to; the first event of every log names it.
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
  std::string store_id;      // 32 hexadecimal digits, created with the store
  std::uint16_t number = 0;  // 0..32767, from the store id: keeps job ids of different machines distinct
};

/// From the log, or new for an empty one: the `configured` name, else the host's.
Result<Site> find_site(const EventLog& log, const std::string& configured);

/// The daemon's first facts: the store's creation if it is new, and the daemon's start.
std::vector<schema::SystemFactUnion> first_notes(const Site& site, bool new_store,
                                                 const std::string& boot_id);

/// The fact that a person has accepted an older log.
schema::SystemFactUnion rollback_accepted(const RollbackSign& sign);

Result<gid_t> group_id(const std::string& name);

}  // namespace luzia
