// Which store a log belongs to; the first event of every log says it.
#pragma once

#include <string>

#include "engine/log/event_log.h"

namespace luzia {

struct StoreIdentity {
  std::string site;      // the machine's name when the store was created
  std::string store_id;  // 32 hexadecimal digits, created with the store
  bool operator==(const StoreIdentity&) const = default;
};

/// For a log with events. `log_corrupt`: its first event is not the creation of a store.
Result<StoreIdentity> identity_of(const EventLog& log);

}  // namespace luzia
