#include "engine/base/store_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace luzia {
namespace {

constexpr char kUnusable[] = "store_file_unusable";

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

tl::unexpected<Error> in_its_place(const std::string& path, mode_t mode) {
  return fail(ErrorKind::trouble, kUnusable, path + " is " + kind_of(mode) + ", not a file of the store",
              "remove what stands in its place, or put the file back");
}

}  // namespace

Status check_store_file(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return fail_errno(errno, kUnusable, "cannot look at " + path);
  }
  return S_ISREG(info.st_mode) ? Status{} : in_its_place(path, info.st_mode);
}

Status check_store_files(const std::string& store) {
  for (const char* name : {"lock", "watermark", "watermark.new", "clock", "clock.new", "notified", "rollback",
                           "rollback.new", "scrubbed", "scrubbed.new", "ballast", "luziad.log"}) {
    LUZIA_TRY(check_store_file(store + "/" + name));
  }
  return {};
}

Result<int> open_store_file(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (fd < 0) {
    const int trouble = errno;
    if (trouble == ENOENT) return fail_errno(trouble, "store_file_missing", "cannot open " + path);
    // It may be a FIFO without a reader, a link or a folder: check_store_file() names it.
    LUZIA_TRY(check_store_file(path));
    return fail_errno(trouble, kUnusable, "cannot open " + path);
  }
  struct stat info {};
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
  close(fd);
  return in_its_place(path, info.st_mode);
}

Status write_store_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  const int fd = LUZIA_TRY(open_store_file(fresh, O_WRONLY | O_CREAT | O_TRUNC));
  const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int trouble = errno;
  ::close(fd);
  if (!whole) return fail_errno(trouble, "store_unwritable", "cannot write " + fresh);
  if (::rename(fresh.c_str(), path.c_str()) == 0) return {};
  return fail_errno(errno, "store_unwritable", "cannot rename " + fresh);
}

Result<std::optional<std::string>> read_store_file(const std::string& path) {
  const auto fd = open_store_file(path, O_RDONLY);
  if (!fd && fd.error().code == "store_file_missing") return std::nullopt;
  if (!fd) return tl::unexpected(fd.error());
  std::string bytes(kMostStoreFileBytes + 1, '\0');
  const ssize_t size = pread(*fd, bytes.data(), bytes.size(), 0);
  const int trouble = errno;
  close(*fd);
  if (size < 0) return fail_errno(trouble, kUnusable, "cannot read " + path);
  bytes.resize(static_cast<std::size_t>(size));
  if (bytes.size() <= kMostStoreFileBytes) return bytes;
  return fail(ErrorKind::trouble, kUnusable, path + " is larger than any file of its kind",
              "remove it, or put the right one back");
}

Status copy_store_file(const std::string& name, const std::string& store, const std::string& backup) {
  const auto text = LUZIA_TRY(read_store_file(store + "/" + name));
  return text ? write_store_file(backup + "/" + name, *text) : Status();
}

}  // namespace luzia
