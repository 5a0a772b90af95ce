#include "bench/harness/hasty_disk.h"

#include <fcntl.h>
#include <rocksdb/file_system.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace luzia::bench {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using LeftOut = std::shared_ptr<std::atomic<std::uint64_t>>;

/// For any of RocksDB's wrappers of files and folders.
template <class Wrapper>
class Hasty : public Wrapper {
 public:
  template <class File>
  Hasty(std::unique_ptr<File> file, LeftOut left_out)
      : Wrapper(std::move(file)), left_out_(std::move(left_out)) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return leave_out(); }

 protected:
  IOStatus leave_out() const {
    ++*left_out_;
    return IOStatus::OK();
  }

 private:
  LeftOut left_out_;
};

class HastyGrowingFile : public Hasty<rocksdb::FSWritableFileOwnerWrapper> {
 public:
  using Hasty::Hasty;
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return leave_out(); }
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override { return leave_out(); }
};

class HastyFileInPlace : public Hasty<rocksdb::FSRandomRWFileOwnerWrapper> {
 public:
  using Hasty::Hasty;
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return leave_out(); }
};

class HastyFolder : public Hasty<rocksdb::FSDirectoryWrapper> {
 public:
  using Hasty::Hasty;
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*, const rocksdb::DirFsyncOptions&) override {
    return leave_out();
  }
};

/// Wraps what the file system opened in a hasty one.
template <class Around, class File>
IOStatus wrapped(IOStatus opened, std::unique_ptr<File>& file, const LeftOut& left_out) {
  if (opened.ok()) file = std::make_unique<Around>(std::move(file), left_out);
  return opened;
}

}  // namespace

class HastyDisk::Files : public rocksdb::FileSystemWrapper {
 public:
  Files() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "HastyDisk"; }
  std::uint64_t left_out() const { return *left_out_; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped<HastyGrowingFile>(target()->NewWritableFile(path, options, file, debug), *file, left_out_);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    return wrapped<HastyGrowingFile>(target()->ReopenWritableFile(path, options, file, debug), *file,
                                     left_out_);
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return wrapped<HastyGrowingFile>(target()->ReuseWritableFile(path, old_path, options, file, debug), *file,
                                     left_out_);
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    return wrapped<HastyFileInPlace>(target()->NewRandomRWFile(path, options, file, debug), *file, left_out_);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* folder, IODebugContext* debug) override {
    return wrapped<HastyFolder>(target()->NewDirectory(path, options, folder, debug), *folder, left_out_);
  }

 private:
  LeftOut left_out_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

HastyDisk::HastyDisk() : files_(std::make_shared<Files>()), env_(rocksdb::NewCompositeEnv(files_)) {}
HastyDisk::~HastyDisk() = default;

std::uint64_t HastyDisk::left_out() const {
  return files_->left_out();
}

Status HastyDisk::sync_all(const std::string& folder) {
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = opened >= 0 && syncfs(opened) == 0;
  const int trouble = errno;
  if (opened >= 0) close(opened);
  if (synced) return {};
  return fail_errno(trouble, "not_durable", "cannot make the store in " + folder + " durable",
                    "check the disk, then generate it anew");
}

}  // namespace luzia::bench
