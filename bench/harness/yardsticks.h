// What the machine can do without Luzia: each figure is compared with one of these from the same run.
#pragma once

#include <string>

#include "bench/harness/measure.h"

namespace luzia::bench {

/// Appends of 300 bytes, each followed by fdatasync.
Rate append_fdatasync(const std::string& dir, double seconds);
/// The same at a fixed rate, idle in between: then each append takes longer than back to back.
Latencies append_fdatasync_paced(const std::string& dir, double per_second, double seconds);
/// RocksDB puts of 300 bytes with sync, `batch` puts per write; the rate counts puts.
Rate rocksdb_sync_put(const std::string& dir, int batch, double seconds);
/// One byte to another process and back over a Unix socket.
Rate socket_ping(double seconds);
/// Creates `count` empty files in a new folder below `dir`; they stay.
Latencies create_files(const std::string& dir, int count);
/// Processor time that all programs of the machine have used so far, in seconds; steps of 10 ms.
double busy_seconds();
/// posix_spawn and wait for /bin/true, one at a time.
Rate spawn_true(double seconds);

}  // namespace luzia::bench
