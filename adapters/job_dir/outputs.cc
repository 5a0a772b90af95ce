#include "adapters/job_dir/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "adapters/job_dir/owned_directory.h"

namespace luzia {
namespace {

constexpr std::string_view kExpiredMark = "[output expired: ";
/// What is left of an expired output is shorter.
constexpr off_t kLongestMark = 256;

/// Opens output.log in the folder; not open if it is none of the user's regular files.
Descriptor open_left_output(const std::string& job_dir, std::uint32_t uid, const std::string& folder,
                            struct stat& status) {
  auto directory = open_job_directory(job_dir);
  if (!directory) return {};
  Descriptor within;
  if (!folder.empty()) {
    within.reset(::openat(directory->get(), folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!within) return {};
  }
  const int at = folder.empty() ? directory->get() : within.get();
  Descriptor file(::openat(at, "output.log", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  return S_ISREG(status.st_mode) && status.st_uid == uid ? std::move(file) : Descriptor();
}

bool has_expired(const Descriptor& file, off_t size) {
  char begin[kExpiredMark.size()];
  return size < kLongestMark && ::pread(file.get(), begin, sizeof begin, 0) == sizeof begin &&
         std::string_view(begin, sizeof begin) == kExpiredMark;
}

}  // namespace

std::vector<OutputFile> outputs_of(const std::string& job_dir, std::uint32_t uid, std::uint32_t attempts) {
  std::vector<OutputFile> files;
  for (std::uint32_t attempt = attempts; attempt > 0; --attempt) {
    const std::string folder = attempt == attempts ? std::string() : "attempt-" + std::to_string(attempt);
    struct stat status {};
    const Descriptor file = open_left_output(job_dir, uid, folder, status);
    if (!file || status.st_size == 0 || has_expired(file, status.st_size)) continue;
    files.push_back({folder, status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size)});
  }
  return files;
}

Status expire_output(const std::string& job_dir, std::uint32_t uid, const OutputFile& file,
                     std::string_view rule) {
  struct stat status {};
  const Descriptor output = open_left_output(job_dir, uid, file.folder, status);
  if (!output || status.st_dev != file.device || status.st_ino != file.inode) return {};
  std::string mark(kExpiredMark);
  mark.append(rule.substr(0, static_cast<std::size_t>(kLongestMark) / 2)).append("]\n");
  constexpr std::size_t kExitLine = 32;  // at most, which is not counted as output
  if (file.bytes < mark.size() + kExitLine) mark.clear();
  if (::ftruncate(output.get(), 0) == 0 && ::pwrite(output.get(), mark.data(), mark.size(), 0) >= 0)
    return {};
  return fail_errno(errno, "job_dir_failed", "cannot empty the output in " + job_dir);
}

}  // namespace luzia
