#include "engine/log/rocks_new_store.h"

#include <rocksdb/env.h>

#include <algorithm>

#include "engine/log/rocks_error.h"
#include "engine/log/rocks_watermark.h"
#include "engine/log/store_dir.h"

namespace luzia {
namespace {

constexpr std::size_t kBatchBytes = 4 << 20;

Status check_empty(rocksdb::Env& env, const std::string& target) {
  std::vector<std::string> names;
  const auto status = env.GetChildren(target, &names);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};
  if (!status.ok()) return rocks_failure(status, "target_unusable", "cannot look into " + target);
  if (std::ranges::all_of(names, [](const std::string& name) { return name == "." || name == ".."; }))
    return {};
  return fail(ErrorKind::refused, "target_not_empty",
              "cannot copy the log to " + target + ": it is not empty",
              "name a folder that does not exist yet");
}

}  // namespace

NewStore::NewStore(std::string target, rocksdb::Env* env, std::unique_ptr<RocksLogDb> db, std::string code,
                   std::string what)
    : target_(std::move(target)),
      env_(env),
      db_(std::move(db)),
      code_(std::move(code)),
      what_(std::move(what)),
      batch_(0, 0, kProtectionBytes, 0) {}

Status NewStore::check(const std::string& target, rocksdb::Env* env) {
  if (auto empty = check_empty(*env, target); !empty) return empty;
  return check_store_filesystem(target);
}

Result<NewStore> NewStore::create(const std::string& target, rocksdb::Env* env, std::string code,
                                  std::string what) {
  if (auto checked = check(target, env); !checked) return tl::unexpected(checked.error());
  if (auto prepared = prepare_store_dir(target); !prepared) return tl::unexpected(prepared.error());
  auto db = RocksLogDb::open(target + "/log", OpenMode::read_write, env);
  if (!db) return tl::unexpected(db.error());
  return NewStore(target, env, std::move(*db), std::move(code), std::move(what));
}

Status NewStore::written(const rocksdb::Status& status) const {
  if (status.ok()) return {};
  return rocks_failure(status, code_, what_);
}

Status NewStore::put_group(const rocksdb::Slice& key, const rocksdb::Slice& value) {
  return put(db_->groups(), key, value);
}

Status NewStore::put_blobs(const rocksdb::Slice& key, const rocksdb::Slice& value) {
  return put(db_->blobs(), key, value);
}

Status NewStore::put(rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& key,
                     const rocksdb::Slice& value) {
  auto status = batch_.Put(family, key, value);
  if (status.ok() && batch_.GetDataSize() >= kBatchBytes) {
    status = db_->db().Write({}, &batch_);
    batch_.Clear();
  }
  return written(status);
}

Status NewStore::finish(const Tip& tip) {
  auto status = db_->db().Write({}, &batch_);
  if (status.ok()) status = db_->db().Flush({}, {db_->groups(), db_->blobs()});
  if (!status.ok()) return written(status);
  db_.reset();
  return RocksWatermark::create(*env_->GetFileSystem(), target_, tip);
}

}  // namespace luzia
