// Emptying the write-ahead log at a clean stop.
#include "engine/log/rocks_error.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_log.h"

namespace luzia {

Status flush_log(EventLog& log) {
  auto* rocks = dynamic_cast<RocksLog*>(&log);
  return rocks != nullptr ? rocks->flush() : Status{};
}

Status RocksLog::flush() {
  if (!check_writable()) return {};
  const auto status = db_->db().Flush({}, {db_->groups(), db_->blobs()});
  if (!status.ok()) return rocks_failure(status, "log_write_failed", "cannot flush the log");
  return {};
}

}  // namespace luzia
