// Room for the write-ahead log, written as zeros before it is needed. Appending to a file, each sync has to
// make its new size and the blocks it grew into durable besides the bytes; overwriting zeros that an earlier
// sync made durable, only the bytes (measured on ext4: 164 and 120 us for 300 bytes, 205 and 126 for 2,400).
// What a crash leaves behind the last record is zeros, which RocksDB's recovery passes over, or a torn
// record, for which see rocks_torn_end.h. A file that is closed ends with its last record.
//
// Who reads sees a log that ends with the last record it had when it was opened: RocksDB steps over zeros to
// the next block, where a writer beside may have written in the meantime, and would miss what lies between.
#pragma once

#include <rocksdb/env.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace luzia {

/// Whether write-ahead logs get room when they are written.
enum class WalRoom { none, zeroed };

/// The environment of `target` with such room for write-ahead logs (`*.log`). Outlives the database that uses
/// it, and `target` outlives it. Where room cannot be made (a full disk), logs grow as they did without it.
class WalRoomEnv : public rocksdb::EnvWrapper {
 public:
  WalRoomEnv(rocksdb::Env* target, WalRoom room);
  const char* Name() const override { return "WalRoomEnv"; }
  /// Whether something of a write-ahead log that was read was stepped over: a torn end, or damage that
  /// RocksDB does not tell of.
  bool stepped_over() const { return *stepped_over_; }

 private:
  std::shared_ptr<std::atomic<bool>> stepped_over_;
};

/// A block of a write-ahead log: 32 KiB, the file's last one less. RocksDB's log format: fragments with a
/// header of checksum (4), length (2, little-endian) and type (1); none crosses a block.
struct WalBlock {
  std::size_t end = 0;  // of the last fragment, which may end in zeros itself; 0: the block is all zeros
  /// Bytes follow a header of zeros, or a length goes beyond the block's end: RocksDB steps over them and
  /// says nothing.
  bool stepped_over = false;
};
WalBlock walk_wal_block(std::string_view block);

}  // namespace luzia
