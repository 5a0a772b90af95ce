#include "engine/log/rocks_new_store.h"

#include <fcntl.h>
#include <rocksdb/env.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "engine/log/rocks_error.h"
#include "engine/log/rocks_watermark.h"
#include "engine/log/store_dir.h"

namespace luzia {
namespace {

constexpr std::size_t kBatchBytes = 4 << 20;
constexpr char kMarkName[] = "unfinished-copy";

tl::unexpected<Error> not_empty(const std::string& target, const std::string& why) {
  return fail(ErrorKind::refused, "target_not_empty", "cannot copy the log to " + target + ": " + why,
              "name a folder that does not exist yet");
}

Status sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int trouble = errno;
  if (fd >= 0) ::close(fd);
  return synced ? Status() : fail_errno(trouble, "target_unusable", "cannot sync the folder " + folder);
}

/// Removes an interrupted copy; the mark stays.
Status clear(const std::string& target) {
  std::error_code error;
  std::vector<std::filesystem::path> rest;
  for (std::filesystem::directory_iterator at(target, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() != kMarkName) rest.push_back(at->path());
  }
  for (const auto& path : rest) {
    if (!error) std::filesystem::remove_all(path, error);
  }
  return error ? fail_errno(error.value(), "target_unusable", "cannot empty " + target) : Status();
}

bool holds_mark_alone(const std::string& target) {
  std::error_code error;
  std::filesystem::directory_iterator at(target, error);
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->path().filename() != kMarkName) return false;
  }
  return !error;
}

Status check_empty(rocksdb::Env& env, const std::string& target) {
  std::vector<std::string> names;
  const auto status = env.GetChildren(target, &names);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};
  if (!status.ok()) return rocks_failure(status, "target_unusable", "cannot look into " + target);
  const bool cut_short = std::ranges::find(names, kMarkName) != names.end();
  if (cut_short || std::ranges::all_of(names, [](const auto& name) { return name == "." || name == ".."; }))
    return {};
  return not_empty(target, "it is not empty");
}

}  // namespace

bool is_unfinished_copy(const std::string& store, rocksdb::Env& env) {
  return env.FileExists(store + "/" + kMarkName).ok();
}

Result<CopyMark> CopyMark::set(const std::string& target) {
  constexpr mode_t kOwnersAlone = 0600;
  const std::string path = target + "/" + kMarkName;
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  int fd = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kOwnersAlone);
  const bool is_new = fd >= 0;
  if (!is_new && errno == EEXIST) fd = ::open(path.c_str(), kFlags);
  if (fd < 0) return fail_errno(errno, "target_unusable", "cannot write to " + target);
  CopyMark mark(target, fd);
  struct stat status {};
  // Without a name: the copy that held the file has completed meanwhile.
  const bool ours = ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &status) == 0 && status.st_nlink > 0;
  if (!ours) return not_empty(target, "another copy is made there");
  if (is_new && !holds_mark_alone(target)) {
    ::unlink(path.c_str());
    return not_empty(target, "another copy was made there meanwhile");
  }
  LUZIA_TRY(sync_folder(target));
  return mark;
}

CopyMark::~CopyMark() {
  if (fd_ >= 0) ::close(fd_);
}

Status CopyMark::take_away() {
  if (::unlink((folder_ + "/" + kMarkName).c_str()) != 0) {
    return fail_errno(errno, "target_unusable", "cannot remove " + folder_ + "/" + kMarkName);
  }
  return sync_folder(folder_);
}

NewStore::NewStore(std::string target, rocksdb::Env* env, CopyMark mark, std::unique_ptr<RocksLogDb> db,
                   std::string code, std::string what)
    : target_(std::move(target)),
      env_(env),
      mark_(std::move(mark)),
      db_(std::move(db)),
      code_(std::move(code)),
      what_(std::move(what)),
      batch_(0, 0, kProtectionBytes, 0) {}

Status NewStore::check(const std::string& target, rocksdb::Env* env) {
  LUZIA_TRY(check_empty(*env, target));
  return check_store_filesystem(target);
}

Result<NewStore> NewStore::create(const std::string& target, rocksdb::Env* env, std::string code,
                                  std::string what) {
  LUZIA_TRY(check(target, env));
  LUZIA_TRY(prepare_store_dir(target));
  auto mark = LUZIA_TRY(CopyMark::set(target));
  LUZIA_TRY(clear(target));
  auto db = LUZIA_TRY(RocksLogDb::open(target + "/log", OpenMode::read_write, env));
  return NewStore(target, env, std::move(mark), std::move(db), std::move(code), std::move(what));
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
  LUZIA_TRY(RocksWatermark::create(*env_->GetFileSystem(), target_, tip));
  return mark_.take_away();
}

}  // namespace luzia
