#include "engine/log/rocks_reading_env.h"

#include <rocksdb/file_system.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace luzia {
namespace {

/// A held table as RocksDB sees it; RocksDB closes its own handle.
class SharedTable : public rocksdb::FSRandomAccessFileWrapper {
 public:
  explicit SharedTable(std::shared_ptr<rocksdb::FSRandomAccessFile> table)
      : FSRandomAccessFileWrapper(table.get()), table_(std::move(table)) {}

 private:
  std::shared_ptr<rocksdb::FSRandomAccessFile> table_;
};

}  // namespace

class ReadingEnv::HeldTables : public rocksdb::FileSystemWrapper {
 public:
  explicit HeldTables(const std::shared_ptr<rocksdb::FileSystem>& files) : FileSystemWrapper(files) {}
  const char* Name() const override { return "HeldTables"; }

  rocksdb::Status hold(const std::string& path) {
    std::unique_ptr<rocksdb::FSRandomAccessFile> table;
    auto status = target()->NewRandomAccessFile(path, {}, &table, nullptr);
    if (status.ok()) held_.emplace(path, std::move(table));
    return status;
  }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    const auto found = held_.find(path);
    if (found == held_.end()) return target()->NewRandomAccessFile(path, options, file, debug);
    *file = std::make_unique<SharedTable>(found->second);
    return rocksdb::IOStatus::OK();
  }

 private:
  std::unordered_map<std::string, std::shared_ptr<rocksdb::FSRandomAccessFile>> held_;  // by path
};

ReadingEnv::ReadingEnv(rocksdb::Env* target)
    : EnvWrapper(target), tables_(std::make_shared<HeldTables>(target->GetFileSystem())) {
  file_system_ = tables_;
  system_clock_ = target->GetSystemClock();
}

ReadingEnv::~ReadingEnv() = default;

rocksdb::Status ReadingEnv::hold_tables(rocksdb::DB& db) {
  std::vector<std::string> names;  // "/000123.sst"
  std::uint64_t manifest_size = 0;
  constexpr bool kFlush = false;
  auto status = db.GetLiveFiles(names, &manifest_size, kFlush);
  for (auto name = names.begin(); status.ok() && name != names.end(); ++name) {
    if (name->ends_with(".sst")) status = tables_->hold(db.GetName() + *name);
  }
  return status;
}

}  // namespace luzia
