#include "tests/crash/fragile_disk.h"

#include <rocksdb/system_clock.h>

#include <algorithm>
#include <filesystem>

namespace luzia::test {
namespace {

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal();
}

class SilentLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
  size_t GetLogFileSize() const override { return 0; }
};

/// RocksDB's threads sleep for a second after each failure; without power that is wasted time.
class ImpatientClock : public rocksdb::SystemClockWrapper {
 public:
  ImpatientClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "ImpatientClock"; }
  void SleepForMicroseconds(int time) override { target_->SleepForMicroseconds(std::min(time, 500)); }
};

}  // namespace

const char* name_of(DiskOp op) {
  constexpr const char* kNames[] = {"append", "write in place", "sync",        "create",
                                    "remove", "rename",         "make folder", "sync folder"};
  return kNames[static_cast<std::size_t>(op)];
}

/// A file that is appended to, from its start or from its former end. Another FileInPlace may have written
/// beyond that.
class FragileDisk::AppendedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  AppendedFile(FragileDisk& disk, DiskContents::FileId id, std::unique_ptr<rocksdb::FSWritableFile> file)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), id_(id), at_(disk.contents_.size_of(id)) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(disk_.mutex_);
    const bool was_on = !disk_.off_;
    auto begun = disk_.begin(DiskOp::append);
    if (begun.ok()) return grow(bytes, options, debug);
    const bool torn = was_on && disk_.off_;
    if (torn || (disk_.fault_ && disk_.fault_->half_written && !disk_.off_))
      (void)grow({bytes.data(), bytes.size() / 2}, options, debug);
    return begun;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* debug) override {
    return Append(bytes, options, debug);
  }
  rocksdb::IOStatus Truncate(uint64_t size, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(disk_.mutex_);
    if (disk_.off_) return off();
    disk_.contents_.about_to_cut(id_, size);
    at_ = std::min(at_, size);
    return target()->Truncate(size, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    const std::lock_guard lock(disk_.mutex_);
    auto begun = disk_.begin(DiskOp::sync);
    if (begun.ok()) {
      disk_.contents_.synced(id_);
    } else if (!disk_.off_) {
      disk_.contents_.sync_failed(id_);
    }
    return begun;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }
  rocksdb::IOStatus RangeSync(uint64_t, uint64_t, const rocksdb::IOOptions&,
                              rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }

 private:
  static rocksdb::IOStatus off() { return rocksdb::IOStatus::IOError("the power is off"); }
  rocksdb::IOStatus grow(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) {
    disk_.contents_.about_to_write(id_, at_, {bytes.data(), bytes.size()});
    auto status = target()->Append(bytes, options, debug);
    if (status.ok()) at_ += bytes.size();
    return status;
  }

  FragileDisk& disk_;
  const DiskContents::FileId id_;
  std::uint64_t at_;  // where the next bytes go
};

/// A file that is written in the middle.
class FragileDisk::FileInPlace : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  FileInPlace(FragileDisk& disk, std::string path, std::unique_ptr<rocksdb::FSRandomRWFile> file)
      : FSRandomRWFileOwnerWrapper(std::move(file)), disk_(disk), path_(std::move(path)) {}

  rocksdb::IOStatus Write(uint64_t offset, const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(disk_.mutex_);
    const bool was_on = !disk_.off_;
    const auto begun = disk_.begin(DiskOp::write_in_place);
    // If the power goes during the write, its sector may have any of its states, or be torn.
    if (begun.ok() || (was_on && disk_.off_))
      disk_.contents_.about_to_write(disk_.contents_.file(path_), offset, {bytes.data(), bytes.size()});
    if (begun.ok()) return target()->Write(offset, bytes, options, debug);
    if (disk_.fault_ && disk_.fault_->half_written && !disk_.off_) {
      const rocksdb::Slice half(bytes.data(), bytes.size() / 2);
      disk_.contents_.about_to_write(disk_.contents_.file(path_), offset, {half.data(), half.size()});
      (void)target()->Write(offset, half, options, debug);
    }
    return begun;
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    const std::lock_guard lock(disk_.mutex_);
    auto begun = disk_.begin(DiskOp::sync);
    const auto id = disk_.contents_.file(path_);
    if (begun.ok()) {
      disk_.contents_.synced(id);
    } else if (!disk_.off_) {
      disk_.contents_.sync_failed(id);
    }
    return begun;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }

 private:
  FragileDisk& disk_;
  const std::string path_;
};

class FragileDisk::Folder : public rocksdb::FSDirectoryWrapper {
 public:
  Folder(FragileDisk& disk, std::string path, std::unique_ptr<rocksdb::FSDirectory> folder)
      : FSDirectoryWrapper(std::move(folder)), disk_(disk), path_(std::move(path)) {}

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    const std::lock_guard lock(disk_.mutex_);
    auto begun = disk_.begin(DiskOp::sync_folder);
    if (begun.ok()) disk_.contents_.folder_synced(path_);
    return begun;
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug,
                                        const rocksdb::DirFsyncOptions&) override {
    return Fsync(options, debug);
  }

 private:
  FragileDisk& disk_;
  const std::string path_;
};

FragileDisk::FragileDisk(const std::string& root)
    : FileSystemWrapper(rocksdb::FileSystem::Default()), contents_(normal(root)) {}

void FragileDisk::lose_power_at(std::uint64_t operation) {
  const std::lock_guard lock(mutex_);
  power_goes_at_ = operation == 0 ? 0 : total_ + operation;
}

bool FragileDisk::power_is_off() const {
  const std::lock_guard lock(mutex_);
  return off_;
}

void FragileDisk::come_back(Dice& dice) {
  const std::lock_guard lock(mutex_);
  contents_.lose_power(dice);
  off_ = false;
  power_goes_at_ = 0;
}

void FragileDisk::fail(const DiskFault& fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  fault_count_ = 0;
  fault_met_ = false;
}

bool FragileDisk::fault_was_met() const {
  const std::lock_guard lock(mutex_);
  return fault_met_;
}

void FragileDisk::fix() {
  const std::lock_guard lock(mutex_);
  fault_.reset();
}

std::uint64_t FragileDisk::operations() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::uint64_t FragileDisk::operations(DiskOp op) const {
  const std::lock_guard lock(mutex_);
  return counts_[static_cast<std::size_t>(op)];
}

rocksdb::IOStatus FragileDisk::begin(DiskOp op) {
  if (off_) return rocksdb::IOStatus::IOError("the power is off");
  ++counts_[static_cast<std::size_t>(op)];
  if (++total_ == power_goes_at_) {
    off_ = true;
    if (when_power_goes_) when_power_goes_();
    return rocksdb::IOStatus::IOError("the power goes");
  }
  if (!fault_ || fault_->op != op) return rocksdb::IOStatus::OK();
  ++fault_count_;
  if (fault_count_ != fault_->nth && !(fault_->lasting && fault_count_ > fault_->nth))
    return rocksdb::IOStatus::OK();
  fault_met_ = true;
  return fault_->no_space ? rocksdb::IOStatus::NoSpace("No space left on device")
                          : rocksdb::IOStatus::IOError("Input/output error");
}

rocksdb::IOStatus FragileDisk::NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSWritableFile>* file,
                                               rocksdb::IODebugContext* debug) {
  const std::string name = normal(path);
  if (!covers(name)) return target()->NewWritableFile(path, options, file, debug);
  const std::lock_guard lock(mutex_);
  if (auto begun = begin(DiskOp::create); !begun.ok()) return begun;
  (void)contents_.remove(name);
  std::unique_ptr<rocksdb::FSWritableFile> real;
  auto status = target()->NewWritableFile(name, options, &real, debug);
  if (status.ok()) *file = std::make_unique<AppendedFile>(*this, contents_.created(name), std::move(real));
  return status;
}

rocksdb::IOStatus FragileDisk::ReopenWritableFile(const std::string& path,
                                                  const rocksdb::FileOptions& options,
                                                  std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                  rocksdb::IODebugContext* debug) {
  const std::string name = normal(path);
  const std::lock_guard lock(mutex_);
  if (off_) return rocksdb::IOStatus::IOError("the power is off");
  const auto id = contents_.file(name);
  std::unique_ptr<rocksdb::FSWritableFile> real;
  auto status = target()->ReopenWritableFile(name, options, &real, debug);
  if (status.ok()) *file = std::make_unique<AppendedFile>(*this, id, std::move(real));
  return status;
}

rocksdb::IOStatus FragileDisk::NewRandomRWFile(const std::string& path, const rocksdb::FileOptions& options,
                                               std::unique_ptr<rocksdb::FSRandomRWFile>* file,
                                               rocksdb::IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSRandomRWFile> real;
  auto status = target()->NewRandomRWFile(path, options, &real, debug);
  if (status.ok()) *file = std::make_unique<FileInPlace>(*this, normal(path), std::move(real));
  return status;
}

rocksdb::IOStatus FragileDisk::NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                            std::unique_ptr<rocksdb::FSDirectory>* folder,
                                            rocksdb::IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> real;
  auto status = target()->NewDirectory(path, options, &real, debug);
  if (status.ok()) *folder = std::make_unique<Folder>(*this, normal(path), std::move(real));
  return status;
}

rocksdb::IOStatus FragileDisk::DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                                          rocksdb::IODebugContext* debug) {
  const std::string name = normal(path);
  if (!covers(name)) return target()->DeleteFile(path, options, debug);
  const std::lock_guard lock(mutex_);
  if (auto begun = begin(DiskOp::remove); !begun.ok()) return begun;
  return contents_.remove(name) ? rocksdb::IOStatus::OK() : rocksdb::IOStatus::NotFound(path);
}

rocksdb::IOStatus FragileDisk::RenameFile(const std::string& from, const std::string& to,
                                          const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
  const std::string name = normal(from);
  if (!covers(name)) return target()->RenameFile(from, to, options, debug);
  const std::lock_guard lock(mutex_);
  if (auto begun = begin(DiskOp::rename); !begun.ok()) return begun;
  return contents_.rename(name, normal(to)) ? rocksdb::IOStatus::OK() : rocksdb::IOStatus::NotFound(from);
}

rocksdb::IOStatus FragileDisk::CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                                  rocksdb::IODebugContext* debug) {
  const std::string name = normal(path);
  if (!covers(name) || std::filesystem::exists(name))
    return target()->CreateDirIfMissing(path, options, debug);
  const std::lock_guard lock(mutex_);
  if (auto begun = begin(DiskOp::make_folder); !begun.ok()) return begun;
  auto status = target()->CreateDirIfMissing(name, options, debug);
  if (status.ok()) contents_.folder_created(name);
  return status;
}

rocksdb::IOStatus FragileDisk::NewLogger(const std::string&, const rocksdb::IOOptions&,
                                         std::shared_ptr<rocksdb::Logger>* logger, rocksdb::IODebugContext*) {
  *logger = std::make_shared<SilentLogger>();
  return rocksdb::IOStatus::OK();
}

class FragileEnv::Impatient : public rocksdb::EnvWrapper {
 public:
  Impatient(rocksdb::Env* plain, std::shared_ptr<FragileDisk> disk) : EnvWrapper(plain) {
    file_system_ = std::move(disk);
    system_clock_ = std::make_shared<ImpatientClock>();
  }
  const char* Name() const override { return "Impatient"; }
};

FragileEnv::FragileEnv(const std::string& root)
    : disk_(std::make_shared<FragileDisk>(root)),
      plain_(rocksdb::NewCompositeEnv(disk_)),
      env_(std::make_unique<Impatient>(plain_.get(), disk_)) {}

FragileEnv::~FragileEnv() = default;

rocksdb::Env* FragileEnv::env() const {
  return env_.get();
}

}  // namespace luzia::test
