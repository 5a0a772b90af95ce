// A file system for RocksDB and the watermark that loses power at a chosen operation, or fails one. Otherwise
// it is the real file system below `root`, except that it fsyncs nothing: DiskContents keeps track of what an
// fsync would have made durable. Thread-safe, as a rocksdb::FileSystem must be.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tests/crash/disk_contents.h"

namespace luzia::test {

/// All operations that change a disk.
enum class DiskOp { append, write_in_place, sync, create, remove, rename, make_folder, sync_folder };
constexpr std::size_t kDiskOps = 8;
const char* name_of(DiskOp op);

/// Lets the `nth` operation of this kind fail (from 1, counted from fail()); if `lasting`, all later ones
/// too.
struct DiskFault {
  DiskOp op;
  std::uint64_t nth = 1;
  bool lasting = false;
  bool no_space = false;      // ENOSPC instead of EIO
  bool half_written = false;  // append only: its first half still reaches the file
};

class FragileDisk : public rocksdb::FileSystemWrapper {
 public:
  explicit FragileDisk(const std::string& root);
  const char* Name() const override { return "FragileDisk"; }

  /// Cuts the power during the operation with this number, counted from now; every later one fails.
  void lose_power_at(std::uint64_t operation);
  bool power_is_off() const;
  /// Sets a function that is called in the middle of that operation. Call before the first use of the disk.
  void when_power_goes(std::function<void()> then) { when_power_goes_ = std::move(then); }
  /// Restores the power; the folder becomes what is found after the loss. Call when all files are closed.
  void come_back(Dice& dice);

  void fail(const DiskFault& fault);
  bool fault_was_met() const;
  void fix();
  /// The number of changing operations so far: all, or those of one kind.
  std::uint64_t operations() const;
  std::uint64_t operations(DiskOp op) const;

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* folder,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewLogger(const std::string& path, const rocksdb::IOOptions& options,
                              std::shared_ptr<rocksdb::Logger>* logger,
                              rocksdb::IODebugContext* debug) override;

 private:
  class AppendedFile;
  class FileInPlace;
  class Folder;

  /// Counts the operation. mutex_ must be held.
  rocksdb::IOStatus begin(DiskOp op);
  bool covers(const std::string& path) const { return contents_.covers(path); }

  mutable std::mutex mutex_;
  DiskContents contents_;
  std::array<std::uint64_t, kDiskOps> counts_{};
  std::uint64_t total_ = 0, power_goes_at_ = 0;
  bool off_ = false;
  std::function<void()> when_power_goes_;
  std::optional<DiskFault> fault_;
  std::uint64_t fault_count_ = 0;
  bool fault_met_ = false;
};

/// The disk and the rocksdb::Env on top of it, for LogOptions::env. Must outlive every log that uses it.
class FragileEnv {
 public:
  explicit FragileEnv(const std::string& root);
  ~FragileEnv();
  FragileDisk& disk() const { return *disk_; }
  rocksdb::Env* env() const;

 private:
  class Impatient;
  std::shared_ptr<FragileDisk> disk_;
  std::unique_ptr<rocksdb::Env> plain_;
  std::unique_ptr<Impatient> env_;
};

}  // namespace luzia::test
