// Port: the append-only log. Implemented over RocksDB (rocks_event_log.h) and in memory (adapters/memory);
// both pass tests/engine/log_contract.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/log/group.h"

namespace luzia {

/// Reads groups forwards. One thread at a time; sees the log as far as it was durable when next() is called.
class GroupCursor {
 public:
  virtual ~GroupCursor() = default;
  /// The next group, or null at the present end (call again later to go on). An error is final.
  virtual Result<std::shared_ptr<const Group>> next() = 0;
};

/// append() and sync_watermark(): commit thread only. Everything else: any thread, also during append().
/// Cursors do not outlive their log.
class EventLog {
 public:
  virtual ~EventLog() = default;

  /// Last durable group.
  virtual Tip tip() const = 0;
  /// Where history begins: {0, zeros}, or the base after archiving.
  virtual Tip base() const = 0;

  /// Durable when it returns a group (the stored form, for readers who wait). A group that check_appendable()
  /// refuses changes nothing. After a write that failed the log takes no more groups (`log_broken`) until it
  /// is opened again, because a failed fsync proves nothing.
  virtual Result<std::shared_ptr<const Group>> append(const PendingGroup& group) = 0;

  /// From the group that contains `first` on (its earlier events are included; callers skip them).
  virtual std::unique_ptr<GroupCursor> read_from(Position first) const = 0;

  /// One event alone, which costs next to nothing however many were written with it; nullopt: it lies
  /// beyond the tip, or not behind the base. Errors as the cursor's: what is missing between is
  /// `log_corrupt`.
  virtual Result<std::optional<StoredEvent>> event(Position position) const = 0;

  /// The one way to a text: proved against the hash in its event at every read. `blob_erased` (not_found)
  /// after a purge, `no_such_blob` (not_found) when the event speaks of none, `text_damaged` (trouble) when
  /// it is gone or is not what was recorded.
  Result<std::string> blob(Position event, std::uint32_t index) const;
  /// Gives the row with the texts of the group that holds `event`, as it is stored and unproved; where there
  /// is none, that of an earlier group or nothing. `text_damaged` (trouble): it cannot be read.
  virtual Status visit_text_row(Position event, const std::function<void(std::string_view)>& visit) const = 0;
  /// Durable when it returns; erasing again is no error. `no_such_blob`. Waits for the disk: not for the loop
  /// thread.
  virtual Status erase_blob(Position event, std::uint32_t index) = 0;
  /// Removes what erase_blob() has left in files, once after a whole purge: reads and writes a lot, so it is
  /// for a worker thread. Without it the bytes go when a compaction happens to meet them. Cheap when nothing
  /// was erased.
  virtual Status drop_erased() = 0;

  /// Makes the watermark itself durable (idle, stop, every 100 ms).
  virtual Status sync_watermark() = 0;
};

/// What a cursor answers where groups do not follow on each other: `log_corrupt`.
[[nodiscard]] tl::unexpected<Error> no_group_for(Position position);
/// Errors of EventLog::blob, the same in every implementation. `stream`: the event's, if it is known.
[[nodiscard]] tl::unexpected<Error> no_such_blob(Position event, std::uint32_t index);
[[nodiscard]] tl::unexpected<Error> blob_erased(Position event, std::uint32_t index);
[[nodiscard]] tl::unexpected<Error> text_damaged(Position event, std::uint32_t index, std::string_view stream,
                                                 const std::string& why);
/// Whether an error of EventLog::blob stays as it is: the text is erased, damaged or was never there. Else
/// reading it again may help.
bool text_is_gone(const Error& error);

}  // namespace luzia
