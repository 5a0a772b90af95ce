#include "tools/luzia-run/sandbox_covers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/luzia-run/kernel_calls.h"
#include "tools/luzia-run/sandbox_mounts.h"

namespace luzia::run {
namespace {

constexpr char kOnlyRead = 'r', kWritten = 'w';

bool cover_again(char kind, int at, bool is_folder) {
  if (kind == kOnlyRead || kind == kWritten) return mount_copy_of(at, at, {.read_only = kind == kOnlyRead});
  // Without devices, nobody can open what lies there.
  const int nothing = open_without_links(is_folder ? kNothing : "/dev/null", O_PATH);
  const bool done = nothing >= 0 && mount_copy_of(nothing, at, {.read_only = true});
  const int error = errno;
  if (nothing >= 0) ::close(nothing);
  errno = error;
  return done;
}

bool is_covered(char kind, int at) {
  struct statx status {};
  if (kernel::statx(at, "", AT_EMPTY_PATH, STATX_TYPE, status) != 0) return false;
  if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return true;
  return cover_again(kind, at, S_ISDIR(status.stx_mode));
}

enum class Found { covered, gone, open };

// Whoever renames a file over another loses the mount first, and the name of the other a moment later: until
// then nothing can be mounted there (ENOENT). Without success errno says why.
Found cover_if_open(char kind, const char* path) {
  constexpr timespec kMoment{0, 100'000};
  constexpr int kMostMoments = 5'000;
  for (int moments = 0;; ++moments) {
    const int at = open_without_links(path, O_PATH);
    if (at < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? Found::gone : Found::open;
    const bool covered = is_covered(kind, at);
    const int error = errno;
    ::close(at);
    errno = error;
    if (covered) return Found::covered;
    if (error != ENOENT || moments == kMostMoments) return Found::open;
    ::nanosleep(&kMoment, nullptr);
  }
}

}  // namespace

Covers::~Covers() {
  for (std::size_t i = 0; i < count_; ++i) ::free(covers_[i].path);
  ::free(covers_);
}

bool Covers::add(char kind, const char* path) {
  if (count_ == capacity_) {
    const std::size_t capacity = capacity_ == 0 ? 16 : capacity_ * 2;
    auto* grown = static_cast<Cover*>(::realloc(covers_, capacity * sizeof(Cover)));
    if (grown == nullptr) return false;
    covers_ = grown;
    capacity_ = capacity;
  }
  char* const copy = ::strdup(path);
  if (copy != nullptr) covers_[count_++] = {kind, copy};
  return copy != nullptr;
}

bool Covers::restore(TextView& problem) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Cover& cover = covers_[i];
    const Found found = cover_if_open(cover.kind, cover.path);
    if (found == Found::covered || (found == Found::gone && cover.kind != kOnlyRead)) continue;
    problem.add("%.600s, which the agent may only read or not see, %s: %s", cover.path,
                found == Found::gone ? "is gone" : "cannot be covered again", ::strerror(errno));
    return false;
  }
  return true;
}

}  // namespace luzia::run
