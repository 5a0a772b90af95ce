#include "tools/luzia-run/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "adapters/launcher/process_table.h"
#include "adapters/launcher/run_record.h"
#include "engine/base/want_of_room.h"
#include "tools/luzia-run/kernel_calls.h"

namespace luzia::run {
namespace {

using namespace run_record;

bool write_at(int fd, const char* bytes, std::size_t size, off_t offset) {
  while (size > 0) {
    const ssize_t written = ::pwrite(fd, bytes, size, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
    offset += written;
  }
  return true;
}

void fill_blank(char (&record)[kExitRecordSize]) {
  ::memset(record, ' ', sizeof record);
  record[kExitRecordSize - 1] = '\n';
}

void fill_record(const Options& options, const Ending& ending, char (&record)[kExitRecordSize]) {
  Text<kExitRecordSize> text;
  text.add("%s\njob=%s\nattempt=%u\nboot_id=%s\n", kExitRecordMagic, options.job, options.attempt,
           options.boot_id);
  if (ending.has_exit_code) {
    text.add("exit_code=%d\n", ending.exit_code);
  } else {
    text.add("exit_code=none\n");
  }
  text.add("signal=%d\ncore_dumped=%d\nended_us=%lld\nwall_us=%llu\nuser_us=%llu\nsystem_us=%llu\n",
           ending.signal, ending.core_dumped ? 1 : 0, static_cast<long long>(ending.ended_us),
           static_cast<unsigned long long>(ending.wall_us), static_cast<unsigned long long>(ending.user_us),
           static_cast<unsigned long long>(ending.system_us));
  text.add("max_rss_kib=%llu\noutput_bytes=%llu\nleftovers_killed=%u\n",
           static_cast<unsigned long long>(ending.max_rss_kib),
           static_cast<unsigned long long>(ending.output_bytes), ending.leftovers_killed);
  text.add("preflight_failed=%d\nstart_error=%s\n", ending.preflight_failed ? 1 : 0, ending.start_error);
  if (ending.checks_from != Ending::kUnchecked)
    text.add("%s%llu\n", kChecksFrom, static_cast<unsigned long long>(ending.checks_from));
  if (ending.proof != Ending::Proof::none) {
    text.add("verified=%d\ncheck_error=%s\n", ending.proof == Ending::Proof::proved ? 1 : 0,
             ending.check_error);
  }
  if (*ending.reached != '\0') text.add("reached=%s\n", ending.reached);
  text.add("sum=%016llx\n", static_cast<unsigned long long>(sum(text.c_str(), text.size())));
  fill_blank(record);
  ::memcpy(record, text.c_str(), text.size());
}

void pause_ms(long ms) {
  timespec duration{ms / 1000, (ms % 1000) * 1'000'000};
  ::nanosleep(&duration, nullptr);
}

}  // namespace

RunFiles::Claimed RunFiles::claim(const Options& options, TextView& problem) {
  claim_name_.add("%s.%u", options.job, options.attempt);
  exit_name_.add("%s.exit", claim_name_.c_str());
  reserved_name_.add("%s.tmp", exit_name_.c_str());
  spent_name_.add("%s%s", claim_name_.c_str(), kSpentClaimSuffix);
  dir_ = ::open(options.run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir_ < 0) return not_claimed(errno, "open the folder for the claim", options, problem);
  // A shared lock: a process that gets it exclusively knows that no claim is still waiting to be locked.
  ::flock(dir_, LOCK_SH);
  const bool whole = take_spent_claim(options) || create_claim(options);
  if (claim_ < 0) {
    if (errno == EEXIST) return Claimed::by_another;
    return not_claimed(errno, "create the claim", options, problem);
  }
  if (whole && reserve_exit_record()) return Claimed::yes;
  const int error = errno;
  ::unlinkat(dir_, reserved_name_.c_str(), 0);
  ::unlinkat(dir_, claim_name_.c_str(), 0);
  return not_claimed(error, "write the claim and exit record", options, problem);
}

RunFiles::Claimed RunFiles::not_claimed(int error, const char* doing, const Options& options,
                                        TextView& problem) const {
  problem.add("cannot %s %s in %s: %s", doing, claim_name_.c_str(), options.run_dir, ::strerror(error));
  return is_want_of_room_or_rights(error) ? Claimed::no_room : Claimed::failed;
}

// Fills a spent claim before renaming it, so that nobody takes the earlier attempt's text for ours. If there
// is none, or another luzia-run of this attempt is using it, creates the claim instead.
bool RunFiles::take_spent_claim(const Options& options) {
  claim_ = ::openat(dir_, spent_name_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (claim_ < 0) return false;
  if (::flock(claim_, LOCK_EX | LOCK_NB) == 0 && is_spent_claim(claim_) && write_claim(options) &&
      kernel::rename_new(dir_, spent_name_.c_str(), claim_name_.c_str()) == 0) {
    ::flock(dir_, LOCK_UN);
    return true;
  }
  ::close(claim_);
  return false;
}

// Only the lock's holder renames the file, so this result stays valid while we hold the lock.
bool RunFiles::is_spent_claim(int fd) const {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_nlink == 1 &&
         opened.st_size == static_cast<off_t>(kClaimSize) &&
         ::fstatat(dir_, spent_name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

bool RunFiles::create_claim(const Options& options) {
  claim_ = ::openat(dir_, claim_name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (claim_ < 0) return false;
  const bool locked = ::flock(claim_, LOCK_EX) == 0;
  ::flock(dir_, LOCK_UN);
  return locked && write_claim(options);
}

bool RunFiles::write_claim(const Options& options) {
  ProcessStat self;
  if (!read_process(::getpid(), self)) return false;
  runner_start_ = self.start;
  Text<kClaimSize + 1> text;
  text.add(kClaimFormat, options.boot_id, static_cast<unsigned>(self.pid),
           static_cast<unsigned long long>(self.start), 0U, 0ULL);
  return write_at(claim_, text.c_str(), text.size(), 0);
}

bool RunFiles::record_agent(unsigned pid, unsigned long long start) const {
  Text<kClaimSize - kAgentOffset + 1> line;
  line.add(kAgentFormat, pid, start);
  return write_at(claim_, line.c_str(), line.size(), static_cast<off_t>(kAgentOffset));
}

// Both calls are needed: posix_fallocate assigns the blocks, and the write sets the final length. A reused
// file from an earlier attempt has its blocks: asking for them again costs more than writing.
bool RunFiles::reserve_exit_record() {
  constexpr auto kSize = static_cast<off_t>(kExitRecordSize);
  constexpr off_t kUnit = 512;  // of st_blocks
  exit_ = ::openat(dir_, reserved_name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat status;
  if (exit_ < 0 || ::fstat(exit_, &status) != 0) return false;
  if (status.st_size != kSize && ::ftruncate(exit_, kSize) != 0) return false;
  const int error =
      status.st_size == kSize && status.st_blocks * kUnit >= kSize ? 0 : ::posix_fallocate(exit_, 0, kSize);
  if (error != 0 && error != EOPNOTSUPP) {  // where the file system cannot, the write assigns them
    errno = error;
    return false;
  }
  char blank[kExitRecordSize];
  fill_blank(blank);
  return write_at(exit_, blank, sizeof blank, 0);
}

int RunFiles::open_hosts() const {
  Text<256> name;
  name.add("%s%s", claim_name_.c_str(), kHostsSuffix);
  return ::openat(dir_, name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void RunFiles::record_checks(std::uint64_t from) const {
  Text<64> line;
  line.add("%s%llu\n", kChecksFrom, static_cast<unsigned long long>(from));
  if (exit_ < 0 || !write_at(exit_, line.c_str(), line.size(), 0)) errno = 0;
}

void RunFiles::commit_exit(const Options& options, const Ending& ending) {
  char record[kExitRecordSize];
  fill_record(options, ending, record);
  constexpr long kFirstPauseMs = 20;
  constexpr long kLongestPauseMs = 5'000;
  for (long pause = kFirstPauseMs; !try_commit(record) && !directory_gone();) {
    pause_ms(pause);
    pause = pause * 2 < kLongestPauseMs ? pause * 2 : kLongestPauseMs;
  }
}

bool RunFiles::try_commit(const char* record) {
  if (exit_ < 0 && !reserve_exit_record()) return false;
  // Repeat both in the reserved space. After a failed fsync the kernel may mark the lost page clean; writing
  // again marks it dirty. A new file could find the disk full.
  if (!write_at(exit_, record, kExitRecordSize, 0) || ::fsync(exit_) != 0) return false;
  if (::renameat(dir_, reserved_name_.c_str(), dir_, exit_name_.c_str()) != 0) {
    // The reserved file was removed: create it again.
    if (errno == ENOENT) {
      ::close(exit_);
      exit_ = -1;
    }
    return false;
  }
  return true;
}

bool RunFiles::directory_gone() const {
  struct stat status;
  return ::fstat(dir_, &status) == 0 && status.st_nlink == 0;
}

}  // namespace luzia::run
