// Handles a manifest (RocksDB's list of its files) whose end was being written during a power loss. RocksDB
// drops a record that is cut off there, but refuses one of which only some sectors reached the disk.
//
// Nothing depended on such a record: files are removed and replies sent only after its fsync. Without it the
// database is as it was before, including its write-ahead log. The cut is kept only after proof that nothing
// else is missing.
#pragma once

#include <rocksdb/file_system.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/log/rocks_log_db.h"

namespace luzia {

/// Offset at which the last whole record ends, before the first damaged or cut-off one. The format:
/// https://github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format
std::size_t end_of_whole_records(std::string_view manifest);

/// A cut that is tentative until keep(). One thread, under the store's lock.
class CutManifest {
 public:
  /// Cuts the manifest in `log` after its whole records; the original stays beside it as NAME.damaged.
  /// nullopt: no record is damaged, or none is whole.
  static Result<std::optional<CutManifest>> cut(rocksdb::FileSystem& files, const std::string& log);
  /// Restores the original manifest.
  Status undo();
  /// Deletes the copy of the original.
  void keep();

 private:
  CutManifest(rocksdb::FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  rocksdb::FileSystem& files_;
  std::string path_;
};

/// Verifies everything from the first event: the chain, and each text that an event refers to. Reads the
/// whole log.
Status prove_whole(const RocksLogDb& db);

}  // namespace luzia
