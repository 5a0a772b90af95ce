#include "bench/harness/yardsticks.h"

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "bench/harness/driving.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kAppendedBytes = 300;

[[noreturn]] void yardstick_failed(const std::string& what) {
  give_up("yardstick " + what + " failed");
}

/// Calls `step` (which does `units` units of work) until the time is over.
template <class Step>
Rate run_for(double seconds, int units, Step step) {
  Rate rate;
  const double start = now_seconds();
  double now = start;
  std::uint64_t done = 0;
  while (now - start < seconds) {
    step();
    const double after = now_seconds();
    rate.latencies.add(after - now);
    now = after;
    done += static_cast<std::uint64_t>(units);
  }
  rate.per_second = static_cast<double>(done) / (now - start);
  return rate;
}

/// A temporary file; the destructor removes it.
class AppendedFile {
 public:
  explicit AppendedFile(const std::string& dir) : path_(dir + "/yardstick.append") {
    descriptor_ = open(path_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor_ < 0) yardstick_failed(path_);
  }
  ~AppendedFile() {
    close(descriptor_);
    unlink(path_.c_str());
  }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  void append_durably() {
    const auto written = write(descriptor_, record_.data(), record_.size());
    if (written < 0 || fdatasync(descriptor_) != 0) yardstick_failed(path_);
  }

 private:
  std::string path_;
  std::string record_ = std::string(kAppendedBytes, 'x');
  int descriptor_ = -1;
};

}  // namespace

Rate append_fdatasync(const std::string& dir, double seconds) {
  AppendedFile file(dir);
  return run_for(seconds, 1, [&] { file.append_durably(); });
}

Latencies append_fdatasync_paced(const std::string& dir, double per_second, double seconds) {
  AppendedFile file(dir);
  Latencies latencies;
  const double start = now_seconds();
  const int count = static_cast<int>(seconds * per_second);
  for (int i = 0; i < count; ++i) {
    const double pause = start + i / per_second - now_seconds();
    if (pause > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    const double begin = now_seconds();
    file.append_durably();
    latencies.add(now_seconds() - begin);
  }
  return latencies;
}

Rate rocksdb_sync_put(const std::string& dir, int batch, double seconds) {
  const std::string path = dir + "/yardstick.rocksdb";
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* raw = nullptr;
  if (!rocksdb::DB::Open(options, path, &raw).ok()) yardstick_failed(path);
  std::unique_ptr<rocksdb::DB> db(raw);
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const std::string record(kAppendedBytes, 'x');
  std::uint64_t key = 0;
  Rate rate = run_for(seconds, batch, [&] {
    rocksdb::WriteBatch writes;
    for (int i = 0; i < batch; ++i) {
      const std::uint64_t big_endian = __builtin_bswap64(++key);
      writes.Put(rocksdb::Slice(reinterpret_cast<const char*>(&big_endian), sizeof big_endian), record);
    }
    if (!db->Write(synced, &writes).ok()) yardstick_failed(path);
  });
  db.reset();
  rocksdb::DestroyDB(path, options);
  return rate;
}

Rate socket_ping(double seconds) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) yardstick_failed("socketpair");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    char byte;
    while (read(ends[1], &byte, 1) == 1 && write(ends[1], &byte, 1) == 1) {
    }
    _exit(0);
  }
  close(ends[1]);
  char byte = 'p';
  Rate rate = run_for(seconds, 1, [&] {
    if (write(ends[0], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) yardstick_failed("ping");
  });
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return rate;
}

Latencies create_files(const std::string& dir, int count) {
  const std::string folder = dir + "/yardstick.files";
  if (mkdir(folder.c_str(), 0700) != 0) yardstick_failed(folder);
  Latencies latencies;
  for (int i = 0; i < count; ++i) {
    const std::string path = folder + '/' + std::to_string(i);
    const double begin = now_seconds();
    const int fd = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) yardstick_failed(path);
    close(fd);
    latencies.add(now_seconds() - begin);
  }
  return latencies;
}

double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0;
  if (!(file >> cpu >> user >> nice >> system >> idle >> waiting >> irq >> soft_irq))
    yardstick_failed("/proc/stat");
  return (user + nice + system + irq + soft_irq) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Rate spawn_true(double seconds) {
  return run_for(seconds, 1, [] {
    pid_t pid = 0;
    char program[] = "/bin/true";
    char* arguments[] = {program, nullptr};
    if (posix_spawn(&pid, program, nullptr, nullptr, arguments, environ) != 0)
      yardstick_failed("posix_spawn");
    waitpid(pid, nullptr, 0);
  });
}

}  // namespace luzia::bench
