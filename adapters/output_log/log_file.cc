#include "adapters/output_log/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace luzia {
namespace {

constexpr auto kGoesOn = "the job goes on without its output being watched";

}  // namespace

LogFile::LogFile(const std::string& job_dir, std::uint32_t owner_uid) : path_(job_dir + "/output.log") {
  open_file(job_dir);
  if (descriptor_ >= 0) inspect(owner_uid);
}

LogFile::~LogFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void LogFile::set_state(State state, tl::unexpected<Error> why) {
  state_ = state;
  error_ = std::move(why.value());
}

void LogFile::failed(int errno_value, const std::string& what) {
  if (errno_value == ENOENT) {
    state_ = State::missing;
    return;
  }
  may_open_later_ = errno_value == EMFILE || errno_value == ENFILE || errno_value == ENOMEM;
  set_state(State::unreadable, fail_errno(errno_value, "output_unreadable", what,
                                          "the job goes on; its output is read once this is fixed"));
}

void LogFile::refuse_kind() {
  set_state(State::refused, fail(ErrorKind::refused, "output_not_a_file",
                                 "not reading " + path_ + ": it is not a regular file", kGoesOn));
}

void LogFile::open_file(const std::string& job_dir) {
  const int directory = open(job_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) {
    if (errno != ENOTDIR && errno != ELOOP) return failed(errno, "opening the job directory " + job_dir);
    return set_state(State::refused,
                     fail(ErrorKind::refused, "job_dir_not_a_directory",
                          "not reading " + path_ + ": " + job_dir + " is not a directory", kGoesOn));
  }
  descriptor_ = openat(directory, "output.log", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const int why = errno;
  close(directory);
  if (descriptor_ >= 0) return;
  if (why == ELOOP) {
    return set_state(
        State::refused,
        fail(ErrorKind::refused, "output_is_symlink",
             "not reading " + path_ + ": it is a symbolic link, not the file that luzia-run made", kGoesOn));
  }
  if (why == ENXIO) return refuse_kind();  // a socket
  failed(why, "opening " + path_);
}

void LogFile::inspect(std::uint32_t owner_uid) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return failed(errno, "fstat of " + path_);
  if (!S_ISREG(status.st_mode)) return refuse_kind();
  if (status.st_uid != owner_uid) {
    return set_state(State::refused,
                     fail(ErrorKind::refused, "output_not_owned",
                          "not reading " + path_ + ": it belongs to uid " + std::to_string(status.st_uid) +
                              ", the job runs as uid " + std::to_string(owner_uid),
                          kGoesOn));
  }
  identity_ = {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size)};
  modified_ns_ = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace luzia
