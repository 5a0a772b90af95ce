#include "adapters/output_log/request_marks.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "engine/base/hash.h"

namespace luzia {
namespace {

std::uint64_t mark_of(const std::string& path) {
  struct stat status {};
  if (::fstatat(AT_FDCWD, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? 0 : 1;
  }
  const std::array<std::uint64_t, 6> parts = {
      static_cast<std::uint64_t>(status.st_dev),          static_cast<std::uint64_t>(status.st_ino),
      static_cast<std::uint64_t>(status.st_size),         static_cast<std::uint64_t>(status.st_ctim.tv_sec),
      static_cast<std::uint64_t>(status.st_ctim.tv_nsec), static_cast<std::uint64_t>(status.st_mode)};
  return checksum64({reinterpret_cast<const std::uint8_t*>(parts.data()), sizeof parts}) | 1;
}

}  // namespace

bool is_request_file(std::string_view name) {
  return std::find(std::begin(kRequestFiles), std::end(kRequestFiles), name) != std::end(kRequestFiles);
}

bool is_answer_file(std::string_view name) {
  return std::find(std::begin(kAnswerFiles), std::end(kAnswerFiles), name) != std::end(kAnswerFiles);
}

RequestMarks look_at_requests(const std::string& job_dir) {
  return {mark_of(job_dir + '/' + kRequestFiles[0]), mark_of(job_dir + '/' + kRequestFiles[1])};
}

}  // namespace luzia
