// The watermark file, through the store's rocksdb::FileSystem so that tests of power loss see every write.
// Used by one thread.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/log/watermark.h"

namespace luzia {

class RocksWatermark {
 public:
  /// The slots, or nullopt when the file is not there. `watermark_unreadable`, `store_file_unusable`.
  static Result<std::optional<WatermarkSlots>> read(rocksdb::FileSystem& files, const std::string& store);

  /// A new file with both slots at `tip`, durable under its name when it returns. Replaces an old one.
  static Status create(rocksdb::FileSystem& files, const std::string& store, const Tip& tip);

  /// For writing; `slots` as read() gave them.
  static Result<RocksWatermark> open(rocksdb::FileSystem& files, const std::string& store,
                                     const WatermarkSlots& slots);

  /// Into the page cache: survives the end of the process.
  Status write(const Tip& tip);
  /// To the disk: survives the loss of power.
  Status sync();

 private:
  RocksWatermark(std::unique_ptr<rocksdb::FSRandomRWFile> file, std::size_t next_slot)
      : file_(std::move(file)), next_slot_(next_slot) {}

  std::unique_ptr<rocksdb::FSRandomRWFile> file_;
  std::size_t next_slot_;
};

}  // namespace luzia
