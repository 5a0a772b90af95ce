// The watermark file, accessed through the store's rocksdb::FileSystem so that power-loss tests see every
// write. One thread.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/log/watermark.h"

namespace luzia {

class RocksWatermark {
 public:
  /// The slots; nullopt: the file does not exist. Errors: `watermark_unreadable`, `store_file_unusable`.
  static Result<std::optional<WatermarkSlots>> read(rocksdb::FileSystem& files, const std::string& store);

  /// Creates or replaces the file with both slots at `tip`; the file and its name are durable when it
  /// returns.
  static Status create(rocksdb::FileSystem& files, const std::string& store, const Tip& tip);

  /// Opens the file for writing; `slots` as read() returned them.
  static Result<RocksWatermark> open(rocksdb::FileSystem& files, const std::string& store,
                                     const WatermarkSlots& slots);

  /// Writes to the page cache, which survives the end of the process.
  Status write(const Tip& tip);
  /// Writes to the disk, which survives a power loss.
  Status sync();

 private:
  RocksWatermark(std::unique_ptr<rocksdb::FSRandomRWFile> file, std::size_t next_slot)
      : file_(std::move(file)), next_slot_(next_slot) {}

  std::unique_ptr<rocksdb::FSRandomRWFile> file_;
  std::size_t next_slot_;
};

}  // namespace luzia
