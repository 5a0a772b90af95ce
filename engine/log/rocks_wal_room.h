// Preallocates the write-ahead log with zeros. Appending to a file makes each sync write the new size and
// blocks besides the bytes. Overwriting zeros that an earlier sync made durable writes only the bytes.
// Measured on ext4: 164 against 120 us for 300 bytes, 205 against 126 us for 2,400.
//
// After a crash the last record is followed by zeros, which RocksDB's recovery skips, or by a torn record
// (rocks_torn_end.h). A closed file ends with its last record.
//
// A reader sees a log that ends with the last record at the time it was opened. Otherwise RocksDB would skip
// from the zeros to the next block, where a writer may have written meanwhile, and miss what lies between.
#pragma once

#include <rocksdb/env.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace luzia {

/// Whether write-ahead logs are preallocated.
enum class WalRoom { none, zeroed };

/// Wraps `target` and preallocates write-ahead logs (`*.log`). It must outlive the database that uses it, and
/// `target` must outlive it. If no space is left to preallocate, logs grow as usual.
class WalRoomEnv : public rocksdb::EnvWrapper {
 public:
  WalRoomEnv(rocksdb::Env* target, WalRoom room);
  const char* Name() const override { return "WalRoomEnv"; }
  /// Whether a read of a write-ahead log skipped something: a torn end, or damage that RocksDB does not
  /// report.
  bool stepped_over() const { return *stepped_over_; }

 private:
  std::shared_ptr<std::atomic<bool>> stepped_over_;
};

/// A block of a write-ahead log: 32 KiB, or less for the last one of a file. RocksDB's format: fragments with
/// a header of checksum (4), length (2, little-endian) and type (1); none crosses a block.
struct WalBlock {
  std::size_t end = 0;  // end of the last fragment, which may end in zeros; 0: all zeros
  /// Bytes follow a header of zeros, or a length exceeds the block: RocksDB skips them silently.
  bool stepped_over = false;
};
WalBlock walk_wal_block(std::string_view block);

}  // namespace luzia
