// Port: the append-only log. Implemented on RocksDB (rocks_event_log.h) and in memory (adapters/memory); both
// pass tests/engine/log_contract.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/log/group.h"

namespace luzia {

/// Reads groups forwards. Used by one thread at a time. Sees what is durable when next() is called.
class GroupCursor {
 public:
  virtual ~GroupCursor() = default;
  /// The next group. Null: the present end; call again later to continue. An error is final.
  virtual Result<std::shared_ptr<const Group>> next() = 0;
};

/// append() and sync_watermark(): commit thread only. Everything else: any thread, also during append(). The
/// log must outlive its cursors.
class EventLog {
 public:
  virtual ~EventLog() = default;

  /// The last durable group.
  virtual Tip tip() const = 0;
  /// Where the log begins: {0, zeros}, or the base after archiving.
  virtual Tip base() const = 0;

  /// Appends a group. When it returns, the group is durable; it returns the stored form for waiting readers.
  /// A group that check_appendable() refuses changes nothing. After a failed write the log accepts no more
  /// groups (`log_broken`) until it is opened again, because after a failed fsync nobody knows what is on
  /// disk.
  virtual Result<std::shared_ptr<const Group>> append(const PendingGroup& group) = 0;

  /// Begins at the group that contains `first`; callers skip that group's earlier events.
  virtual std::unique_ptr<GroupCursor> read_from(Position first) const = 0;

  /// Reads one event alone, cheaply even if its group is large. nullopt: `position` is beyond the tip, or not
  /// after the base. Errors as for the cursor: a gap between them is `log_corrupt`.
  virtual Result<std::optional<StoredEvent>> event(Position position) const = 0;

  /// The only way to a text. Every read verifies it against the hash in its event. Errors: `blob_erased`
  /// (not_found) after a purge, `no_such_blob` (not_found) if the event refers to none, `text_damaged`
  /// (trouble) if it is missing or differs from what was recorded.
  Result<std::string> blob(Position event, std::uint32_t index) const;
  /// Passes to `visit` the stored row with the texts of the group that holds `event`, unverified. If that
  /// group has no texts, the row is of an earlier group, or `visit` is not called. `text_damaged` (trouble):
  /// the row cannot be read.
  virtual Status visit_text_row(Position event, const std::function<void(std::string_view)>& visit) const = 0;
  /// Erases one text; durable when it returns. Erasing it again is no error. `no_such_blob`. Waits for the
  /// disk, so not for the loop thread.
  virtual Status erase_blob(Position event, std::uint32_t index) = 0;
  /// Removes the erased bytes from the files; call once after a whole purge. It reads and writes much, so it
  /// is for a worker thread. Without it the bytes disappear only when a compaction happens to rewrite them.
  /// Cheap if nothing was erased.
  virtual Status drop_erased() = 0;

  /// Makes the watermark itself durable: when idle, at a stop, every 100 ms.
  virtual Status sync_watermark() = 0;
};

/// The cursor's error if groups do not follow one another: `log_corrupt`.
[[nodiscard]] tl::unexpected<Error> no_group_for(Position position);
/// Errors of EventLog::blob, the same in every implementation. `stream`: of the event, if it is known.
[[nodiscard]] tl::unexpected<Error> no_such_blob(Position event, std::uint32_t index);
[[nodiscard]] tl::unexpected<Error> blob_erased(Position event, std::uint32_t index);
[[nodiscard]] tl::unexpected<Error> text_damaged(Position event, std::uint32_t index, std::string_view stream,
                                                 const std::string& why);
/// Whether an error of EventLog::blob is permanent: the text is erased, damaged or never existed. Otherwise
/// reading it again may help.
bool text_is_gone(const Error& error);

}  // namespace luzia
