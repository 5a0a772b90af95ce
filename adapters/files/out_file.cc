#include "adapters/files/out_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace luzia {
namespace {

constexpr mode_t kReadableByAll = 0666;  // reduced by the umask
constexpr mode_t kPermissions = 0777;

bool takes_no_new_files(int errno_value) {
  return errno_value == EACCES || errno_value == EPERM || errno_value == EROFS;
}

/// Resolves a chain of symbolic links, so that the last link's target is replaced, not the link.
std::string behind_links(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

Result<OutFile> OutFile::create(const std::string& path) {
  OutFile out;
  out.path_ = behind_links(path);
  struct stat status {};
  const bool is_there = stat(out.path_.c_str(), &status) == 0;
  const bool is_file = is_there && S_ISREG(status.st_mode);
  int fd = -1;
  if (is_file || !is_there) {
    const std::string name = out.path_ + ".part." + std::to_string(getpid());
    fd = open(name.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC | O_NOFOLLOW, kReadableByAll);
    if (fd >= 0) out.temporary_ = name;
    if (fd >= 0 && is_file) static_cast<void>(fchmod(fd, status.st_mode & kPermissions));
    if (fd < 0 && !(is_file && takes_no_new_files(errno))) return out.failed(errno);
  }
  if (fd < 0) fd = open(out.path_.c_str(), O_WRONLY | O_CLOEXEC | (is_file ? O_TRUNC : 0));
  if (fd < 0) return out.failed(errno);
  out.file_ = fdopen(fd, "w");
  return out;
}

std::string write_hint(int errno_value, std::string_view kind) {
  const bool full = errno_value == ENOSPC || errno_value == EDQUOT;
  return (full ? "free disk space, or name another " : "name another ") + std::string(kind);
}

OutFile::OutFile(OutFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

OutFile::~OutFile() {
  if (file_ != nullptr) fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

tl::unexpected<Error> OutFile::failed(int errno_value) const {
  return fail_errno(errno_value, "output_failed", "cannot write " + path_, write_hint(errno_value, "file"));
}

Status OutFile::write(std::string_view text) {
  if (fwrite(text.data(), 1, text.size(), file_) == text.size()) return {};
  return failed(errno);
}

Status OutFile::finish() {
  if (fflush(file_) != 0) return failed(errno);
  if (!temporary_.empty() && fsync(fileno(file_)) != 0) return failed(errno);
  if (fclose(std::exchange(file_, nullptr)) != 0) return failed(errno);
  if (!temporary_.empty() && rename(temporary_.c_str(), path_.c_str()) != 0) return failed(errno);
  temporary_.clear();
  return {};
}

}  // namespace luzia
