// A manifest (RocksDB's list of its files) whose end was being written when the power went. RocksDB drops a
// record that is cut off there, but refuses one of which only some sectors reached the disk. Nothing was done
// on the strength of such a record: files are removed and replies sent only after its fsync. Without it the
// database is what it was before, its write-ahead log included, and proof that nothing else is missing is
// asked for.
#pragma once

#include <rocksdb/file_system.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/log/rocks_log_db.h"

namespace luzia {

/// Where the last record of a manifest ends before the first that is damaged or cut off. The format:
/// https://github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format
std::size_t end_of_whole_records(std::string_view manifest);

/// The cut, until it is known to be right. One thread, under the store's lock.
class CutManifest {
 public:
  /// Cuts the manifest in `log` behind its whole records; what it was stays beside it as NAME.damaged.
  /// nullopt: no record of it is damaged, or none is whole.
  static Result<std::optional<CutManifest>> cut(rocksdb::FileSystem& files, const std::string& log);
  /// The manifest as it was.
  Status undo();
  /// Without the copy of what it was.
  void keep();

 private:
  CutManifest(rocksdb::FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  rocksdb::FileSystem& files_;
  std::string path_;
};

/// Everything from the first event on: the chain, and each text that an event refers to. Reads the whole log.
Status prove_whole(const RocksLogDb& db);

}  // namespace luzia
