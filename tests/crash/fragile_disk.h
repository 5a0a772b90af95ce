// A file system for RocksDB and the watermark that loses power at a chosen operation, or fails one. Between
// those it is the real file system below `root`, except that nothing is really fsynced: what an fsync would
// have made durable is kept in DiskContents. Any thread, as a rocksdb::FileSystem.
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

/// Everything that changes a disk.
enum class DiskOp { append, write_in_place, sync, create, remove, rename, make_folder, sync_folder };
constexpr std::size_t kDiskOps = 8;
const char* name_of(DiskOp op);

/// Operation number `nth` (from 1, counted from fail()) of this kind fails; with `lasting` all later ones
/// too.
struct DiskFault {
  DiskOp op;
  std::uint64_t nth = 1;
  bool lasting = false;
  bool no_space = false;      // ENOSPC, else EIO
  bool half_written = false;  // of an append: its first half reaches the file all the same
};

class FragileDisk : public rocksdb::FileSystemWrapper {
 public:
  explicit FragileDisk(const std::string& root);
  const char* Name() const override { return "FragileDisk"; }

  /// The power goes during the operation with this number, counted from now; every later one fails.
  void lose_power_at(std::uint64_t operation);
  bool power_is_off() const;
  /// Called in the middle of that operation. Before the first use of the disk.
  void when_power_goes(std::function<void()> then) { when_power_goes_ = std::move(then); }
  /// Once all files are closed: the folder becomes what is found after the loss, and the power is back.
  void come_back(Dice& dice);

  void fail(const DiskFault& fault);
  bool fault_was_met() const;
  void fix();
  /// Changing operations so far, and those of one kind.
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

  /// Counts the operation. Under mutex_.
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

/// The disk and the rocksdb::Env over it, for LogOptions::env. Outlives every log on it.
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
