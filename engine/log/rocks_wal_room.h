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

#include <string_view>

namespace luzia {

/// Whether write-ahead logs get room when they are written.
enum class WalRoom { none, zeroed };

/// The environment of `target` with that for write-ahead logs (`*.log`). Outlives the database that uses it,
/// and `target` outlives it. Where room cannot be made (a full disk), logs grow as they did without it.
class WalRoomEnv : public rocksdb::EnvWrapper {
 public:
  WalRoomEnv(rocksdb::Env* target, WalRoom room);
  const char* Name() const override { return "WalRoomEnv"; }
};

/// Of a write-ahead log's block (32 KiB, the file's last one less) that is not all zeros: where its last
/// fragment ends, which may end in zeros itself. RocksDB's log format: a header of checksum (4), length (2,
/// little-endian) and type (1), and as many bytes; none crosses a block.
std::size_t end_of_wal_block(std::string_view block);

}  // namespace luzia
