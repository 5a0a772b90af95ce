#include "adapters/issues/database_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr std::string_view kMagic = "luzia-patterns-1";
constexpr std::string_view kPrefix = "patterns-", kSuffix = ".vectorscan";
constexpr std::size_t kMostFiles = 16;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

std::string sealed(const Hash& key, std::string_view content) {
  const Hash sum = blake2b({key, as_bytes(content)});
  std::string text(kMagic);
  text += as_text(key);
  text += as_text(sum);
  text += content;
  return text;
}

/// Whether nobody but us or root could have written the file.
bool is_trusted(const struct stat& status) {
  return S_ISREG(status.st_mode) && (status.st_uid == ::geteuid() || status.st_uid == 0) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         static_cast<std::size_t>(status.st_size) <= kMostBytes;
}

/// Creates missing parents too; readable by its user only.
bool make_private_folder(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return true;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

/// Several daemons and sets of patterns may share the folder. Files written long ago are removed as unused.
void drop_oldest(const std::string& folder) {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      files.emplace_back(entry.last_write_time(ignored), entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMostFiles < files.size(); ++i) ::unlink(files[i].second.c_str());
}

}  // namespace

DatabaseCache::DatabaseCache(std::string folder, const Hash& key) : folder_(std::move(folder)), key_(key) {
  name_ = std::string(kPrefix) + to_hex(Bytes(key).first(16)) + std::string(kSuffix);
}

std::optional<std::string> DatabaseCache::read() const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + name_;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !is_trusted(status)) return std::nullopt;
  const auto text = read_up_to(file.get(), static_cast<std::size_t>(status.st_size));
  const std::size_t head = kMagic.size() + 2 * key_.size();
  if (!text || text->size() < head) return std::nullopt;
  std::string content = text->substr(head);
  if (*text != sealed(key_, content)) return std::nullopt;
  return content;
}

bool DatabaseCache::write(const std::string& content) const {
  if (folder_.empty()) return false;
  if (!make_private_folder(folder_)) return false;
  std::string temporary = folder_ + "/" + name_ + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // 0600
  if (!file) return false;
  const bool written = write_fully(file.get(), sealed(key_, content)) && ::fsync(file.get()) == 0;
  if (!written || ::rename(temporary.c_str(), (folder_ + "/" + name_).c_str()) != 0) {
    ::unlink(temporary.c_str());
    return false;
  }
  drop_oldest(folder_);
  return true;
}

}  // namespace luzia
