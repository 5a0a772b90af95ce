// The RocksDB below the log: its options, its two column families, its keys, and the verification of the
// log's end.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "engine/log/group.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_reading_env.h"
#include "engine/log/rocks_wal_room.h"

namespace luzia {

/// Keys of both column families: the position of the group's first event, 8 bytes big-endian so that they
/// sort.
constexpr std::size_t kPositionKeySize = 8;
std::string position_key(Position position);
/// 0: not a key.
Position key_position(const rocksdb::Slice& key);

/// Checksum bytes of each key and value in RocksDB's memory, verified before they are written.
constexpr std::size_t kProtectionBytes = 8;

/// What to do about damage in the write-ahead log. All drop a record that is cut off at the very end.
/// - end_at_damage: the log ends before the first damaged record. For a write torn by a power loss, once
///   groups_behind() has shown that nothing was written after it.
/// - skip_damage: read_only, for rescues. What cannot be read is missing, also in tables.
enum class Recovery { refuse_damage, end_at_damage, skip_damage };

/// How read_only handles table files.
/// - as_needed: reads open the files they need, at most ten at a time.
/// - held: all exist with the right size, and stay readable even if a writer deletes them.
/// - opened: all were opened, and each has a valid footer.
enum class Tables { as_needed, held, opened };

/// An open database. Any thread, as rocksdb::DB.
class RocksLogDb {
 public:
  /// Whether a database with these column families exists; an interrupted creation does not count.
  /// `store_format`: it has other families.
  static Result<bool> exists(const std::string& path, rocksdb::Env* env);
  /// `path`: STORE/log. read_write creates the database if it is missing; read_only changes nothing. Errors:
  /// `log_corrupt`, `store_format`, `log_unusable`.
  static Result<std::unique_ptr<RocksLogDb>> open(const std::string& path, OpenMode mode, rocksdb::Env* env,
                                                  Tables tables = Tables::opened,
                                                  Recovery recovery = Recovery::refuse_damage);
  /// Rebuilds the manifest from the files that exist. Changes the folder, so use it on a copy.
  static Status rebuild_index(const std::string& path, rocksdb::Env* env);
  ~RocksLogDb();
  RocksLogDb(const RocksLogDb&) = delete;
  RocksLogDb& operator=(const RocksLogDb&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* groups() const { return groups_; }
  rocksdb::ColumnFamilyHandle* blobs() const { return blobs_; }

  /// Moves the iterator to the group that holds `position`, or to the next one, and returns it; null: none.
  Result<std::shared_ptr<const Group>> seek(rocksdb::Iterator& at, Position position) const;
  /// The group at the iterator; null: the end.
  Result<std::shared_ptr<const Group>> read(const rocksdb::Iterator& at) const;

  /// One event of the group that holds it; nullopt: no group does.
  Result<std::optional<StoredEvent>> read_event(Position position) const;
  /// The value of a group that begins at `position`. False: none does, or it cannot be read; an iterator,
  /// which takes three times as long, tells which.
  bool get(rocksdb::ColumnFamilyHandle* family, Position position, rocksdb::PinnableSlice& value) const {
    return db_->Get({}, family, position_key(position), &value).ok();
  }

  /// Whether recovery silently skipped bytes of the write-ahead log: a write torn by a power loss, or damage.
  /// groups_behind() tells which.
  bool stepped_over() const { return env_->stepped_over(); }
  /// Verifies the chain over everything that recovery took from the write-ahead log, and one group before it.
  /// Returns the log's end. Table files are protected by their own checksums and by verify_chain().
  Result<Tip> prove_end() const;
  /// The greatest key in the tables or the write-ahead log. The last event of that group may have a higher
  /// position.
  Position last_known_position() const;
  /// Whether a group ends at `tip.position` with that chain hash.
  Result<bool> contains(const Tip& tip) const;

 private:
  RocksLogDb() = default;
  Position last_table_key() const;

  std::unique_ptr<WalRoomEnv> env_;      // declared before the database, which uses it
  std::unique_ptr<ReadingEnv> reading_;  // wraps env_; read_only only
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* default_ = nullptr;
  rocksdb::ColumnFamilyHandle* groups_ = nullptr;
  rocksdb::ColumnFamilyHandle* blobs_ = nullptr;
};

}  // namespace luzia
