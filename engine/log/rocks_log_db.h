// The RocksDB below the log: its options, its two column families, keys, and the proof of the log's end.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "engine/log/group.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_reading_env.h"
#include "engine/log/rocks_wal_room.h"

namespace luzia {

/// Keys of both column families: the position of the group's first event, 8 bytes big-endian, so that they
/// sort.
constexpr std::size_t kPositionKeySize = 8;
std::string position_key(Position position);
/// 0 for something else than a key.
Position key_position(const rocksdb::Slice& key);

/// Of each key and value on its way through RocksDB's memory, checked before they are written.
constexpr std::size_t kProtectionBytes = 8;

/// What to do about damage in the write-ahead log. A record that is cut off at its very end is dropped in
/// both. `end_at_damage`: the log ends before the first damaged record; for a write that the loss of power
/// tore, once it is clear that nothing was written behind it (groups_behind()). `skip_damage`:
/// read_only, for rescuing; what cannot be read is missing, in tables too.
enum class Recovery { refuse_damage, end_at_damage, skip_damage };

/// read_only's table files. `as_needed`: opened by the reads that need them, ten at most at a time. `held`:
/// all are there, of the right size, and stay there, whatever a writer beside us deletes. `opened`: all have
/// been opened, and end as tables do.
enum class Tables { as_needed, held, opened };

/// An open database. Any thread, as rocksdb::DB.
class RocksLogDb {
 public:
  /// Whether a database with our column families is there (a creation that was cut short does not count).
  /// `store_format` when it holds others.
  static Result<bool> exists(const std::string& path, rocksdb::Env* env);
  /// `path`: STORE/log. read_write creates it when it is not there; read_only changes nothing. Errors:
  /// `log_corrupt`, `store_format`, `log_unusable`.
  static Result<std::unique_ptr<RocksLogDb>> open(const std::string& path, OpenMode mode, rocksdb::Env* env,
                                                  Tables tables = Tables::opened,
                                                  Recovery recovery = Recovery::refuse_damage);
  /// Makes the manifest anew from whatever files there are. Changes the folder: for a copy.
  static Status rebuild_index(const std::string& path, rocksdb::Env* env);
  ~RocksLogDb();
  RocksLogDb(const RocksLogDb&) = delete;
  RocksLogDb& operator=(const RocksLogDb&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* groups() const { return groups_; }
  rocksdb::ColumnFamilyHandle* blobs() const { return blobs_; }

  /// The group that holds `position`, or the next one behind it, or null: the iterator stands on it.
  Result<std::shared_ptr<const Group>> seek(rocksdb::Iterator& at, Position position) const;
  /// The group under the iterator; null at the end.
  Result<std::shared_ptr<const Group>> read(const rocksdb::Iterator& at) const;

  /// One event of the group that holds it; nullopt: none does.
  Result<std::optional<StoredEvent>> read_event(Position position) const;

  /// Whether recovery stepped over bytes of the write-ahead log without a word: a write that the loss of
  /// power tore, or damage (groups_behind() tells which).
  bool stepped_over() const { return env_->stepped_over(); }
  /// Walks the chain over everything that recovery took from the write-ahead log and one group before it, and
  /// returns the log's end. What lies in table files is guarded by their checksums, and by verify_chain().
  Result<Tip> prove_end() const;
  /// The greatest key that the tables or the write-ahead log show; the last event of that group may be
  /// further.
  Position last_known_position() const;
  /// Whether a group ends at `tip.position` with that chain hash.
  Result<bool> contains(const Tip& tip) const;

 private:
  RocksLogDb() = default;
  Position last_table_key() const;

  std::unique_ptr<WalRoomEnv> env_;      // before the database, which uses it
  std::unique_ptr<ReadingEnv> reading_;  // over it: read_only's
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* default_ = nullptr;
  rocksdb::ColumnFamilyHandle* groups_ = nullptr;
  rocksdb::ColumnFamilyHandle* blobs_ = nullptr;
};

}  // namespace luzia
