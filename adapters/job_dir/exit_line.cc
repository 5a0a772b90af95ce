#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "adapters/job_dir/job_dir.h"
#include "adapters/job_dir/owned_directory.h"

namespace luzia {
namespace {

constexpr std::string_view kMark = "\nexit:";

bool ends_in_exit_line(int fd, off_t size) {
  constexpr off_t kMost = 32;
  char bytes[kMost];
  const off_t from = size > kMost ? size - kMost : 0;
  const ssize_t got = ::pread(fd, bytes, sizeof bytes, from);
  const std::string_view end(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t at = end.rfind(kMark);
  if (at == std::string_view::npos || !end.ends_with('\n')) return false;
  const std::size_t code = at + kMark.size();
  return code + 1 < end.size() && end.find_first_not_of("-0123456789", code) == end.size() - 1;
}

/// Opens the user's regular output.log; not open if something else or nothing is there.
Descriptor open_output(const std::string& job_dir, std::uint32_t uid, off_t& size) {
  const auto dir = open_job_directory(job_dir);
  if (!dir) return {};
  Descriptor output(
      ::openat(dir->get(), "output.log", O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!output || ::fstat(output.get(), &status) != 0) return {};
  size = status.st_size;
  return S_ISREG(status.st_mode) && status.st_uid == uid ? std::move(output) : Descriptor();
}

}  // namespace

Status append_exit_line(const std::string& job_dir, std::uint32_t uid, int code,
                        const std::string& next_mark) {
  off_t size = 0;
  const Descriptor output = open_output(job_dir, uid, size);
  if (!output) return {};
  const std::string line = std::string(kMark) + std::to_string(code) + '\n';
  // Check after opening: without the mark, the open file is not the next attempt's.
  const bool is_over = !next_mark.empty() && ::access(next_mark.c_str(), F_OK) == 0;
  if (is_over || ends_in_exit_line(output.get(), size)) return {};
  if (::write(output.get(), line.data(), line.size()) >= 0) return {};
  return fail_errno(errno, "job_dir_failed", "cannot write the exit line into " + job_dir + "/output.log");
}

}  // namespace luzia
