// Backup and archive: copy all rows, or the first ones, from a snapshot, so that they can run beside appends;
// then verify the whole copy.
#include <rocksdb/env.h>

#include <filesystem>
#include <functional>
#include <set>

#include "engine/base/cancelled.h"
#include "engine/base/failpoint.h"
#include "engine/log/blob_row.h"
#include "engine/log/event_texts.h"
#include "engine/log/rocks_error.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_log.h"
#include "engine/log/rocks_new_store.h"

namespace luzia {
namespace {

/// A snapshot that is released at the end of the scope.
class Snapshot {
 public:
  explicit Snapshot(rocksdb::DB& db) : db_(db), snapshot_(db.GetSnapshot()) {}
  ~Snapshot() { db_.ReleaseSnapshot(snapshot_); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  rocksdb::ReadOptions read() const {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot_;
    options.fill_cache = false;
    return options;
  }

 private:
  rocksdb::DB& db_;
  const rocksdb::Snapshot* snapshot_;
};

enum class CopyKind { backup, archive };
using PutRow = std::function<Status(const rocksdb::Slice& key, const rocksdb::Slice& value)>;

/// Copies rows up to `until`.
Status copy_rows(rocksdb::Iterator& from, Position until, const std::string& target, const PutRow& put,
                 const std::stop_token& stop) {
  for (from.SeekToFirst(); from.Valid() && key_position(from.key()) <= until; from.Next()) {
    if (stop.stop_requested()) return cancelled("copying the log to " + target);
    LUZIA_TRY(put(from.key(), from.value()));
  }
  if (!from.status().ok())
    return rocks_failure(from.status(), "backup_failed", "cannot copy the log to " + target);
  return {};
}

/// The texts that the log up to `until` says are erased.
Result<std::set<PlaceOfText>> erasures_told(const EventLog& log, Position until,
                                            const std::stop_token& stop) {
  std::set<PlaceOfText> told;
  const auto cursor = log.read_from(log.base().position + 1);
  for (Position at = 0; at < until;) {
    if (stop.stop_requested()) return cancelled("reading the log");
    const auto group = LUZIA_TRY(cursor->next());
    if (!group) break;
    at = group->last_position();
    for (const schema::Event* event : group->events()) {
      const auto* system = event->payload_as_SystemEvent();
      const auto* fact = system != nullptr ? system->fact_as_BlobErased() : nullptr;
      if (fact != nullptr) told.insert({fact->position(), fact->index()});
    }
  }
  return told;
}

/// A row with texts, for a log that ends early: a text that was erased later is lost there, because the event
/// that says so is not in it.
std::string row_for_earlier_end(std::string_view row, const std::set<PlaceOfText>& told) {
  auto entries = decode_blob_row(row);
  if (!entries) return std::string(row);  // the verification says what is wrong with it
  for (BlobEntry& entry : *entries) {
    const bool untold = entry.state == BlobState::erased && !told.contains({entry.event, entry.index});
    if (untold) entry.state = BlobState::lost;
  }
  return encode_blob_row(*entries);
}

/// Copies up to `tip`, the end of a group.
Status copy_log(const RocksLog& log, const Tip& tip, NewStore& copy, const std::string& target,
                const std::stop_token& stop) {
  const Snapshot snapshot(log.db().db());
  const std::unique_ptr<rocksdb::Iterator> groups(
      log.db().db().NewIterator(snapshot.read(), log.db().groups()));
  const std::unique_ptr<rocksdb::Iterator> blobs(
      log.db().db().NewIterator(snapshot.read(), log.db().blobs()));
  const auto put_group = [&](const auto& key, const auto& value) { return copy.put_group(key, value); };
  std::set<PlaceOfText> told;
  const bool ends_early = tip.position < log.tip().position;
  if (ends_early) told = LUZIA_TRY(erasures_told(log, tip.position, stop));
  const auto put_blobs = [&](const auto& key, const auto& value) {
    if (!ends_early) return copy.put_blobs(key, value);
    return copy.put_blobs(key, row_for_earlier_end(value.ToStringView(), told));
  };
  auto copied = copy_rows(*groups, tip.position, target, put_group, stop);
  if (copied) copied = copy_rows(*blobs, tip.position, target, put_blobs, stop);
  return copied ? copy.finish(tip) : copied;
}

/// Closes the copy in every case. An archive is marked before it is a store: after a crash, none goes on.
Result<ChainReport> copy_and_verify(const RocksLog& log, const Tip& tip, CopyKind kind, NewStore copy,
                                    const std::string& target, const std::stop_token& stop) {
  if (kind == CopyKind::archive) {
    const auto marked =
        rocksdb::WriteStringToFile(log.env(), "archive\n", target + kArchiveMark, /*should_sync=*/true);
    if (!marked.ok()) return rocks_failure(marked, "backup_failed", "cannot copy the log to " + target);
  }
  LUZIA_TRY(copy_log(log, tip, copy, target, stop));
  failpoint("copy.finished");
  const OpenMode mode = kind == CopyKind::archive ? OpenMode::read_only : OpenMode::read_write;
  auto opened = LUZIA_TRY(open_rocks_event_log(target, {.mode = mode, .create = false, .env = log.env()}));
  return verify_chain(*opened, {}, stop);
}

/// `tip`: the end of the copy.
Result<ChainReport> copy_to(const EventLog& log, const Tip& tip, CopyKind kind, const std::string& target,
                            const std::stop_token& stop) {
  const auto* rocks = dynamic_cast<const RocksLog*>(&log);
  if (!rocks) {
    return fail(ErrorKind::trouble, "backup_unsupported", "cannot copy a log that does not lie in a store");
  }
  auto copy =
      LUZIA_TRY(NewStore::create(target, rocks->env(), "backup_failed", "cannot copy the log to " + target));
  auto report = copy_and_verify(*rocks, tip, kind, std::move(copy), target, stop);
  if (!report && stop.stop_requested()) {
    // The folder was empty before, so everything in it was made here.
    std::error_code ignored;
    std::filesystem::remove_all(target, ignored);
  }
  return report;
}

}  // namespace

Result<ChainReport> backup_log(const EventLog& log, const std::string& target, const std::stop_token& stop) {
  return copy_to(log, log.tip(), CopyKind::backup, target, stop);
}

Result<Tip> last_group_end(const EventLog& log, Position until) {
  if (until >= log.tip().position) return log.tip();
  const auto there = LUZIA_TRY(log.read_from(until)->next());
  if (!there) return no_group_for(until);
  if (there->last_position() == until) return Tip{until, there->chain()};
  const Position before = there->first_position() - 1;
  if (before <= log.base().position) return log.base();
  const auto last = LUZIA_TRY(log.read_from(before)->next());
  if (!last || last->last_position() != before) return no_group_for(before);
  return Tip{before, last->chain()};
}

Result<ChainReport> archive_log(const EventLog& log, Position until, const std::string& target,
                                const std::stop_token& stop) {
  const Tip tip = LUZIA_TRY(last_group_end(log, until));
  if (tip.position <= log.base().position) {
    return fail(ErrorKind::refused, "nothing_to_archive",
                "no group of events ends at or before position " + std::to_string(until));
  }
  return copy_to(log, tip, CopyKind::archive, target, stop);
}

}  // namespace luzia
