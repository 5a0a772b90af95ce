#include "tools/cli/own_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace luzia {
namespace {

constexpr int kMostLookedAt = 1'000;  // entries of the folder

/// Nobody else can read or replace what lies there.
bool is_ours(int fd, mode_t type, mode_t others) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == ::geteuid() &&
         (status.st_mode & others) == 0;
}

struct OldFile {
  TimeUs written_us = 0;
  std::string name;
};

}  // namespace

std::optional<OwnFolder> OwnFolder::open(const std::string& folder, bool make) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const std::size_t slash = folder.rfind('/');
  if (slash == std::string::npos || slash == 0) return std::nullopt;
  const Descriptor parent(::open(folder.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent || !is_ours(parent.get(), S_IFDIR, S_IWGRP | S_IWOTH)) return std::nullopt;
  const std::string name = folder.substr(slash + 1);
  if (make) ::mkdirat(parent.get(), name.c_str(), 0700);
  Descriptor fd(::openat(parent.get(), name.c_str(), kFlags));
  if (!fd || !is_ours(fd.get(), S_IFDIR, S_IWGRP | S_IWOTH)) return std::nullopt;
  return OwnFolder(std::move(fd));
}

std::string OwnFolder::read(const std::string& name, std::size_t most) const {
  const Descriptor file(
      ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file || !is_ours(file.get(), S_IFREG, S_IWGRP | S_IWOTH)) return {};
  auto text = read_up_to(file.get(), most + 1);
  return text && text->size() <= most ? std::move(*text) : std::string();
}

bool OwnFolder::write(const std::string& name, std::string_view text) const {
  const std::string fresh = name + "." + std::to_string(::gettid());  // several threads may write
  ::unlinkat(folder_.get(), fresh.c_str(), 0);
  const Descriptor file(
      ::openat(folder_.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  const bool written = write_fully(file.get(), text) &&
                       ::renameat(folder_.get(), fresh.c_str(), folder_.get(), name.c_str()) == 0;
  if (!written) ::unlinkat(folder_.get(), fresh.c_str(), 0);
  return written;
}

void OwnFolder::remove(const std::string& name) const {
  ::unlinkat(folder_.get(), name.c_str(), 0);
}

void OwnFolder::remove_old(std::string_view prefix, TimeUs then, std::size_t most) const {
  const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : ::fdopendir(again), ::closedir);
  if (!entries) {
    if (again >= 0) ::close(again);
    return;
  }
  std::vector<OldFile> files;
  for (int looked = 0; looked < kMostLookedAt; ++looked) {
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    struct stat status {};
    if (!std::string_view(entry->d_name).starts_with(prefix)) continue;
    if (::fstatat(folder_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({status.st_mtim.tv_sec * kSecondUs + status.st_mtim.tv_nsec / 1'000, entry->d_name});
  }
  std::ranges::sort(files, {}, &OldFile::written_us);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].written_us < then || files.size() - i > most) remove(files[i].name);
  }
}

}  // namespace luzia
