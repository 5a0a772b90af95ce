// A store that is made by copying: rows go in as they are stored, and only finish() makes it a store, so that
// half a copy is never taken for one.
#pragma once

#include <rocksdb/write_batch.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/log/rocks_log_db.h"

namespace luzia {

/// Whether the folder holds a copy that is being made, or was cut short.
bool is_unfinished_copy(const std::string& store, rocksdb::Env& env);

/// STORE/unfinished-copy, there and locked while a copy is made: what lies beside it is no store, and where
/// nobody holds it the next copy takes its place.
class CopyMark {
 public:
  /// `target_not_empty` (refused): another copy is being made there, or just was.
  static Result<CopyMark> set(const std::string& target);
  CopyMark(CopyMark&& other) noexcept
      : folder_(std::move(other.folder_)), fd_(std::exchange(other.fd_, -1)) {}
  CopyMark& operator=(CopyMark&&) = delete;
  /// Leaves the file: the copy was cut short.
  ~CopyMark();
  /// The copy is whole, durably.
  Status take_away();

 private:
  CopyMark(std::string folder, int fd) : folder_(std::move(folder)), fd_(fd) {}
  std::string folder_;
  int fd_;
};

/// One thread.
class NewStore {
 public:
  /// Whether create() could begin: nothing is made or changed. Errors: `target_not_empty`, and those of a
  /// folder or file system that no store can be in.
  static Status check(const std::string& target, rocksdb::Env* env);
  /// Makes the folder. `target` must not exist, be empty, or hold a copy that was cut short, which is removed
  /// (`target_not_empty`, refused). Errors of a write: `what` failed, code `code`.
  static Result<NewStore> create(const std::string& target, rocksdb::Env* env, std::string code,
                                 std::string what);

  Status put_group(const rocksdb::Slice& key, const rocksdb::Slice& value);
  Status put_blobs(const rocksdb::Slice& key, const rocksdb::Slice& value);
  /// Everything durable, the watermark at `tip`, the database closed.
  Status finish(const Tip& tip);

 private:
  NewStore(std::string target, rocksdb::Env* env, CopyMark mark, std::unique_ptr<RocksLogDb> db,
           std::string code, std::string what);
  Status put(rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& key, const rocksdb::Slice& value);
  Status written(const rocksdb::Status& status) const;

  std::string target_;
  rocksdb::Env* env_;
  CopyMark mark_;
  std::unique_ptr<RocksLogDb> db_;
  std::string code_, what_;
  rocksdb::WriteBatch batch_;
};

}  // namespace luzia
