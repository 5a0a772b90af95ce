#include "adapters/output_log/log_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

namespace luzia {
namespace {

constexpr auto kGoesOn = "the job goes on without its output being watched";
constexpr std::size_t kMostListed = 10'000;  // files of a log's folder

bool is_checkpoints(const FileIdentity& file, const schema::CheckpointT& checkpoint) {
  return file.dev == checkpoint.dev && file.ino == checkpoint.ino;
}

/// The path of the file with that inode in the log's folder; nullopt: none, or the folder cannot be listed.
std::optional<std::string> renamed_to(const ForeignLog& log, std::uint64_t inode) {
  const std::string folder = log.path.substr(0, log.path.rfind('/') + 1);
  const int fd = log.open(folder);
  if (fd < 0) return std::nullopt;
  DIR* listing = fdopendir(fd);
  if (listing == nullptr) {
    close(fd);
    return std::nullopt;
  }
  std::optional<std::string> found;
  std::size_t listed = 0;
  while (const dirent* entry = readdir(listing)) {
    if (++listed > kMostListed) break;
    if (entry->d_ino != inode) continue;
    found = folder + entry->d_name;
    break;
  }
  closedir(listing);
  return found;
}

}  // namespace

LogFile::LogFile(const std::string& job_dir, std::uint32_t owner_uid) : path_(job_dir + "/output.log") {
  open_file(job_dir);
  if (descriptor_ >= 0 && inspect()) check_owner(owner_uid);
}

LogFile::LogFile(const ForeignLog& log, const schema::CheckpointT& checkpoint) : path_(log.path) {
  take_foreign(log.open(path_));
  const bool is_other = state_ == State::readable && !is_checkpoints(identity_, checkpoint);
  if (has_file(checkpoint) && (is_other || state_ == State::missing)) take_rotated(log, checkpoint);
}

void LogFile::take_foreign(int opened) {
  descriptor_ = opened;
  if (opened >= 0) {
    inspect();
  } else {
    failed(-opened, "opening " + path_);
  }
}

void LogFile::take_rotated(const ForeignLog& log, const schema::CheckpointT& checkpoint) {
  const auto path = renamed_to(log, checkpoint.ino);
  if (!path) return;
  const int opened = log.open(*path);
  struct stat status {};
  const bool is_it = opened >= 0 && fstat(opened, &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_dev == checkpoint.dev && status.st_ino == checkpoint.ino;
  const bool has_more = is_it && static_cast<std::uint64_t>(status.st_size) > checkpoint.scanned_to;
  if (!is_it || (!has_more && state_ != State::missing)) {
    if (opened >= 0) close(opened);
    return;
  }
  if (descriptor_ >= 0) close(descriptor_);
  state_ = State::readable;
  error_ = {};
  was_rotated_ = true;
  take_foreign(opened);
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

bool LogFile::inspect() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    failed(errno, "fstat of " + path_);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    refuse_kind();
    return false;
  }
  owner_ = status.st_uid;
  identity_ = {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size)};
  modified_ns_ = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  return true;
}

void LogFile::check_owner(std::uint32_t owner_uid) {
  if (owner_ == owner_uid) return;
  set_state(State::refused, fail(ErrorKind::refused, "output_not_owned",
                                 "not reading " + path_ + ": it belongs to uid " + std::to_string(owner_) +
                                     ", the job runs as uid " + std::to_string(owner_uid),
                                 kGoesOn));
}

Result<schema::CheckpointT> checkpoint_at_end(const ForeignLog& log) {
  const LogFile file(log, {});
  if (file.state() == LogFile::State::missing) {
    return fail(ErrorKind::not_found, "no_log", "there is no log file " + log.path);
  }
  if (file.state() != LogFile::State::readable) {
    return fail(ErrorKind::refused, "log_unreadable", file.error().message,
                "name a regular file that you may read");
  }
  schema::CheckpointT end;
  end.dev = file.identity().dev;
  end.ino = file.identity().ino;
  end.line_start = end.scanned_to = file.identity().size;
  std::array<char, kTailBytes> tail{};
  const std::uint64_t from = tail_begin(end.scanned_to);
  const auto bytes = static_cast<std::size_t>(end.scanned_to - from);
  const ssize_t got = pread(file.descriptor(), tail.data(), bytes, static_cast<off_t>(from));
  if (got < 0 || static_cast<std::size_t>(got) != bytes) {
    return fail_errno(got < 0 ? errno : EIO, "log_unreadable", "reading " + log.path);
  }
  end.tail_hash = tail_hash({tail.data(), bytes});
  return end;
}

}  // namespace luzia
