#include "engine/log/store_identity.h"

namespace luzia {

Result<StoreIdentity> identity_of(const EventLog& log) {
  const auto first = LUZIA_TRY(log.event(log.base().position + 1));
  const auto* system = first ? first->event().payload_as_SystemEvent() : nullptr;
  const auto* created = system != nullptr ? system->fact_as_StoreCreated() : nullptr;
  if (created == nullptr) {
    return fail(ErrorKind::trouble, "log_corrupt", "the log does not begin with the creation of its store",
                "restore a backup, or ask luzia-query verify what is wrong");
  }
  return StoreIdentity{std::string(text(created->site())), std::string(text(created->store_id()))};
}

}  // namespace luzia
