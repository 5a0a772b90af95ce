// The event log in memory. It implements the same port and passes the same contract suite as the RocksDB log.
// For tests, simulation and benchmarks.
#pragma once

#include <map>
#include <mutex>

#include "engine/log/event_log.h"

namespace luzia {

class MemoryEventLog : public EventLog {
 public:
  MemoryEventLog() = default;
  Tip tip() const override;
  Tip base() const override;
  Result<std::shared_ptr<const Group>> append(const PendingGroup& group) override;
  std::unique_ptr<GroupCursor> read_from(Position first) const override;
  Result<std::optional<StoredEvent>> event(Position position) const override;
  Status visit_text_row(Position event, const std::function<void(std::string_view)>& visit) const override;
  Status erase_blob(Position event, std::uint32_t index) override;
  Status drop_erased() override;
  Status sync_watermark() override;

  /// Makes the next append() fail with this error, like a full disk or a failed fsync.
  void fail_next_append(Error error);
  /// After a failed append, does what reopening the log does: it accepts groups again.
  void open_again();

 private:
  friend class MemoryGroupCursor;
  mutable std::mutex mutex_;
  std::map<Position, std::shared_ptr<const Group>> groups_;  // under mutex_
  std::map<Position, std::string> text_rows_;                // under mutex_; by their group's first position
  Tip tip_;                                                  // under mutex_
  std::optional<Error> failure_;                             // under mutex_
  bool broken_ = false;                                      // under mutex_
};

}  // namespace luzia
