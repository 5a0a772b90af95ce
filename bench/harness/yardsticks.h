// What the machine can do without Luzia: each figure is measured beside one of these, in the same run.
#pragma once

#include <string>

#include "bench/harness/measure.h"

namespace luzia::bench {

/// Appends of 300 bytes, each followed by fdatasync.
Rate append_fdatasync(const std::string& dir, double seconds);
/// The same so often a second, idle in between: then each takes longer than one after another.
Latencies append_fdatasync_paced(const std::string& dir, double per_second, double seconds);
/// RocksDB puts of 300 bytes with sync, `batch` of them per write; counted by put.
Rate rocksdb_sync_put(const std::string& dir, int batch, double seconds);
/// One byte there and back over a Unix socket between two processes.
Rate socket_ping(double seconds);
/// Creating an empty file, so many in one new folder of `dir`; they stay.
Latencies create_files(const std::string& dir, int count);
/// posix_spawn and wait of /bin/true, one after another.
Rate spawn_true(double seconds);

}  // namespace luzia::bench
