// A store that is made by copying: rows go in as they are stored, and only finish() makes it a store, so that
// half a copy is never taken for one.
#pragma once

#include <rocksdb/write_batch.h>

#include <memory>
#include <string>

#include "engine/log/rocks_log_db.h"

namespace luzia {

/// One thread.
class NewStore {
 public:
  /// Whether create() could begin: nothing is made or changed. Errors: `target_not_empty`, and those of a
  /// folder or file system that no store can be in.
  static Status check(const std::string& target, rocksdb::Env* env);
  /// Makes the folder. `target` must not exist or be empty (`target_not_empty`, refused). Errors of a write:
  /// `what` failed, code `code`.
  static Result<NewStore> create(const std::string& target, rocksdb::Env* env, std::string code,
                                 std::string what);

  Status put_group(const rocksdb::Slice& key, const rocksdb::Slice& value);
  Status put_blobs(const rocksdb::Slice& key, const rocksdb::Slice& value);
  /// Everything durable, the watermark at `tip`, the database closed.
  Status finish(const Tip& tip);

 private:
  NewStore(std::string target, rocksdb::Env* env, std::unique_ptr<RocksLogDb> db, std::string code,
           std::string what);
  Status put(rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& key, const rocksdb::Slice& value);
  Status written(const rocksdb::Status& status) const;

  std::string target_;
  rocksdb::Env* env_;
  std::unique_ptr<RocksLogDb> db_;
  std::string code_, what_;
  rocksdb::WriteBatch batch_;
};

}  // namespace luzia
