#include "tools/luzia-run/job_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"

namespace luzia::run {
namespace {

using run_record::kClaimFormat;
using run_record::kClaimSize;
using run_record::kJobClaim;

// False only if another process holds the lock. On a file system without locks none is ever held. Retries,
// because processes that only test the lock hold it briefly.
bool lock(int fd) {
  constexpr int kTries = 25;
  constexpr timespec kBetween{0, 20'000'000};
  for (int tries = 1;; ++tries) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    if (tries == kTries) return false;
    ::nanosleep(&kBetween, nullptr);
  }
}

}  // namespace

bool JobFiles::open(const Options& options, TextView& problem) {
  uid_ = options.uid;
  gid_ = options.gid;
  give_away_ = options.switch_user;
  dir_ = ::open(options.job_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (dir_ < 0 || ::fstat(dir_, &status) != 0) {
    problem.add("cannot open the job directory %s: %s", options.job_dir, ::strerror(errno));
    return false;
  }
  if (status.st_uid != uid_) {
    problem.add("the job directory %s belongs to user %u instead of %u", options.job_dir, status.st_uid,
                uid_);
    return false;
  }
  if (!claim(options, problem)) return false;
  output_ = open_regular("output.log", O_WRONLY | O_APPEND | O_CREAT, problem);
  if (output_ < 0) return false;
  if (!options.stdin_prompt) {
    input_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (input_ < 0) problem.add("cannot open /dev/null: %s", ::strerror(errno));
  } else {
    input_ = open_regular("prompt.txt", O_RDONLY, problem);
  }
  return input_ >= 0;
}

// Complements the claim in STORE/run, which another store (a restored backup) does not see. We hold two locks
// that end with us: on the directory, which cannot be taken from us, and on a file, for file systems that
// cannot lock directories. The agent's user can at most use these to prevent an attempt of this job.
bool JobFiles::claim(const Options& options, TextView& problem) {
  claim_ = open_regular(kJobClaim, O_RDWR | O_CREAT, problem);
  if (claim_ < 0) return false;
  if (lock(dir_) && lock(claim_)) return true;
  problem.add("another attempt of this job is alive, started by another store: it holds %s/%s",
              options.job_dir, kJobClaim);
  return false;
}

void JobFiles::write_claim(const Options& options, unsigned long long runner_start, pid_t agent,
                           unsigned long long agent_start) const {
  Text<kClaimSize + 1> text;
  text.add(kClaimFormat, options.boot_id, static_cast<unsigned>(::getpid()), runner_start,
           static_cast<unsigned>(agent), agent_start);
  // Cut only what the agent has added: ext4 writes out a file that was emptied as soon as it is closed.
  struct stat status;
  if (::pwrite(claim_, text.c_str(), text.size(), 0) < 0 || ::fstat(claim_, &status) != 0) return;
  if (status.st_size != static_cast<off_t>(text.size()) &&
      ::ftruncate(claim_, static_cast<off_t>(text.size())) != 0)
    errno = 0;
}

int JobFiles::open_preflight_log(TextView& problem) const {
  return open_regular("preflight.log", O_WRONLY | O_APPEND | O_CREAT, problem);
}

// O_NONBLOCK, because opening a FIFO must not wait for its other end. It has no effect on a regular file, and
// is cleared again because the agent inherits the flag.
int JobFiles::open_regular(const char* name, int flags, TextView& problem) const {
  const bool create = (flags & O_CREAT) != 0;
  int fd = ::openat(dir_, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600);
  struct stat status;
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    problem.add("cannot open %s in the job directory: %s", name, ::strerror(errno));
    if (fd >= 0) ::close(fd);
    return -1;
  }
  const bool just_created_by_us = create && give_away_ && status.st_uid == 0 && status.st_size == 0;
  if (just_created_by_us && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
      ::fchown(fd, uid_, gid_) == 0) {
    status.st_uid = uid_;
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != uid_) {
    problem.add("%s in the job directory is not a regular file of user %u", name, uid_);
    ::close(fd);
    return -1;
  }
  ::fcntl(fd, F_SETFL, flags & O_APPEND);
  return fd;
}

std::uint64_t JobFiles::output_size() const {
  if (output_ < 0) return 0;
  struct stat status;
  if (::fstat(output_, &status) == 0) return static_cast<std::uint64_t>(status.st_size);
  // At a smaller size, later output would never be read.
  const off_t end = ::lseek(output_, 0, SEEK_END);
  return end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

void JobFiles::replace(const char* name, const TextView& content) const {
  if (dir_ < 0) return;
  Text<64> temporary;
  temporary.add(".%s.tmp", name);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = ::openat(dir_, temporary.c_str(), kFlags, 0600);
  if (fd < 0 && errno == EEXIST && ::unlinkat(dir_, temporary.c_str(), 0) == 0) {
    fd = ::openat(dir_, temporary.c_str(), kFlags, 0600);
  }
  if (fd < 0) return;
  const bool whole = ::write(fd, content.c_str(), content.size()) == static_cast<ssize_t>(content.size()) &&
                     (!give_away_ || ::fchown(fd, uid_, gid_) == 0);
  ::close(fd);
  if (!whole || ::renameat(dir_, temporary.c_str(), dir_, name) != 0) ::unlinkat(dir_, temporary.c_str(), 0);
}

void JobFiles::write_pid(pid_t pid) const {
  Text<32> text;
  text.add("%d\n", static_cast<int>(pid));
  replace("pid", text);
}

void JobFiles::write_exit_json(const Options& options, const Ending& ending) const {
  Text<4096> text;
  text.add("{\"job\":\"");
  text.add_json(options.job);
  text.add("\",\"attempt\":%u,\"exit_code\":", options.attempt);
  if (ending.has_exit_code) {
    text.add("%d", ending.exit_code);
  } else {
    text.add("null");
  }
  text.add(",\"signal\":");
  if (ending.signal != 0) {
    text.add("%d", ending.signal);
  } else {
    text.add("null");
  }
  text.add(",\"core_dumped\":%s,\"ended_us\":%lld,\"wall_us\":%llu,\"user_us\":%llu,\"system_us\":%llu",
           ending.core_dumped ? "true" : "false", static_cast<long long>(ending.ended_us),
           static_cast<unsigned long long>(ending.wall_us), static_cast<unsigned long long>(ending.user_us),
           static_cast<unsigned long long>(ending.system_us));
  text.add(",\"max_rss_kib\":%llu,\"output_bytes\":%llu,\"leftovers_killed\":%u",
           static_cast<unsigned long long>(ending.max_rss_kib),
           static_cast<unsigned long long>(ending.output_bytes), ending.leftovers_killed);
  if (ending.checks_from != Ending::kUnchecked)
    text.add(",\"checks_from\":%llu", static_cast<unsigned long long>(ending.checks_from));
  if (ending.proof != Ending::Proof::none) {
    text.add(",\"verified\":%s,\"check_error\":\"", ending.proof == Ending::Proof::proved ? "true" : "false");
    text.add_json(ending.check_error);
    text.add("\"");
  }
  text.add(",\"start_error\":");
  if (*ending.start_error == '\0') {
    text.add("null}\n");
  } else {
    text.add("\"");
    text.add_json(ending.start_error);
    text.add("\"}\n");
  }
  replace("exit.json", text);
}

void JobFiles::append_exit_line(int code) const {
  if (output_ < 0) return;
  Text<32> text;
  text.add("\nexit:%d\n", code);
  if (::write(output_, text.c_str(), text.size()) < 0) return;  // a full disk: the record has the code
}

}  // namespace luzia::run
