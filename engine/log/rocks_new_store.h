// A store that is made by copying. Rows are copied as they are stored, and only finish() makes it a store, so
// half a copy is never taken for one.
#pragma once

#include <rocksdb/write_batch.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/log/rocks_log_db.h"

namespace luzia {

/// Whether the folder holds a copy that is in progress or was interrupted.
bool is_unfinished_copy(const std::string& store, rocksdb::Env& env);

/// STORE/unfinished-copy, which exists and is locked while a copy is made. A folder with this file is no
/// store; if nobody holds the lock, the next copy replaces the content.
class CopyMark {
 public:
  /// `target_not_empty` (refused): another copy is in progress there or has just finished.
  static Result<CopyMark> set(const std::string& target);
  CopyMark(CopyMark&& other) noexcept
      : folder_(std::move(other.folder_)), fd_(std::exchange(other.fd_, -1)) {}
  CopyMark& operator=(CopyMark&&) = delete;
  /// Leaves the file: the copy was interrupted.
  ~CopyMark();
  /// Removes the file durably: the copy is complete.
  Status take_away();

 private:
  CopyMark(std::string folder, int fd) : folder_(std::move(folder)), fd_(fd) {}
  std::string folder_;
  int fd_;
};

/// The store under construction. One thread.
class NewStore {
 public:
  /// Whether create() would succeed; changes nothing. Errors: `target_not_empty`, and those of a folder or
  /// file system that cannot hold a store.
  static Status check(const std::string& target, rocksdb::Env* env);
  /// Creates the folder. `target` must be missing, empty, or hold an interrupted copy, which is removed
  /// (`target_not_empty`, refused). A failed write returns an error with `code` and `what`.
  static Result<NewStore> create(const std::string& target, rocksdb::Env* env, std::string code,
                                 std::string what);

  Status put_group(const rocksdb::Slice& key, const rocksdb::Slice& value);
  Status put_blobs(const rocksdb::Slice& key, const rocksdb::Slice& value);
  /// Makes everything durable, sets the watermark to `tip`, and closes the database.
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
