#include "engine/view/rollback.h"

#include <unistd.h>

#include <sstream>

#include "engine/base/store_file.h"
#include "engine/view/fold.h"

namespace luzia {

std::string RollbackSign::words() const {
  const std::string has_seen = what + " has seen position " + std::to_string(seen);
  if (seen > log_end) return has_seen + ", and the log ends at " + std::to_string(log_end);
  return has_seen + " of another log than this one, which ends at " + std::to_string(log_end);
}

Result<std::optional<RollbackSign>> rollback_in_rows(const EventLog& log, const ViewCursor& rows) {
  const auto matches = LUZIA_TRY(cursor_matches(log, rows));
  if (matches) return std::nullopt;
  return RollbackSign{"views", rows.position, log.tip().position};
}

namespace {

std::string accepted_path(const std::string& store) {
  return store + "/rollback";
}

}  // namespace

Status keep_accepted(const std::string& store, const RollbackSign& sign) {
  return write_store_file(accepted_path(store), sign.what + ' ' + std::to_string(sign.seen) + ' ' +
                                                    std::to_string(sign.log_end) + '\n');
}

std::optional<RollbackSign> kept_accepted(const std::string& store) {
  const auto text = read_store_file(accepted_path(store));
  if (!text || !*text) return std::nullopt;
  std::istringstream in(**text);
  RollbackSign sign;
  if (in >> sign.what >> sign.seen >> sign.log_end) return sign;
  return std::nullopt;
}

void forget_accepted(const std::string& store) {
  ::unlink(accepted_path(store).c_str());
}

Result<bool> is_recorded(const EventLog& log, const RollbackSign& accepted) {
  const auto cursor = log.read_from(accepted.log_end + 1);
  while (true) {
    const auto group = LUZIA_TRY(cursor->next());
    if (group == nullptr) return false;
    for (const schema::Event* event : group->events()) {
      const auto* system = event->payload_as_SystemEvent();
      const auto* fact = system != nullptr ? system->fact_as_RollbackAccepted() : nullptr;
      if (fact != nullptr && fact->log_end() == accepted.log_end && fact->seen() == accepted.seen)
        return true;
    }
  }
}

Error log_rolled_back(const std::string& store, const RollbackSign& sign) {
  return {
      ErrorKind::trouble, "log_rolled_back",
      "the log in " + store + " was put back: " + sign.words() + ": what happened in between is not in it",
      "bring back the newer log; or, where this is meant (a backup was restored), start luziad once with "
      "--accept-log-end: that is recorded"};
}

}  // namespace luzia
