#include "tools/luziad/rights/attempt_credentials.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/hash.h"

namespace luzia {
namespace {

constexpr std::size_t kKeyBytes = 32;
// Different uses of the key.
constexpr std::string_view kPurpose = "luzia attempt 1", kOfEnvironments = "luzia environment 1";
constexpr const char* kHint =
    "move it away: luziad makes a new one, and jobs that run now speak by user alone";

tl::unexpected<Error> unsafe_key(const std::string& path, const std::string& why) {
  return fail(ErrorKind::refused, "unsafe_key", "using " + path + " for credentials of jobs: " + why, kHint);
}

Result<std::string> read_key(int fd, const std::string& path) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return fail_errno(errno, "key_unreadable", "looking at " + path);
  if (!S_ISREG(status.st_mode)) return unsafe_key(path, "it is not a regular file");
  if (status.st_uid != geteuid()) return unsafe_key(path, "it belongs to someone else");
  if ((status.st_mode & 0077) != 0) return unsafe_key(path, "others may read it (chmod 600)");
  std::string key(kKeyBytes + 1, '\0');
  const ssize_t size = read(fd, key.data(), key.size());
  if (size < 0) return fail_errno(errno, "key_unreadable", "reading " + path);
  if (size != static_cast<ssize_t>(kKeyBytes)) return unsafe_key(path, "it is not 32 bytes long");
  key.resize(kKeyBytes);
  return key;
}

/// Writes it under another name until it is complete, so that no partial key is ever found.
Result<std::string> make_key(const std::string& path) {
  const std::string fresh = path + ".new", key = random_bytes(kKeyBytes);
  unlink(fresh.c_str());
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno(errno, "key_unwritable", "making " + fresh);
  const bool written =
      write(fd, key.data(), key.size()) == static_cast<ssize_t>(key.size()) && fsync(fd) == 0;
  const int reason = errno;
  close(fd);
  if (written && rename(fresh.c_str(), path.c_str()) == 0) return key;
  const int error = written ? errno : reason;
  unlink(fresh.c_str());
  return fail_errno(error, "key_unwritable", "making " + path);
}

}  // namespace

Result<AttemptCredentials> AttemptCredentials::open(const std::string& store) {
  const std::string path = store + "/attempt.key";
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int reason = errno;
  if (fd < 0 && reason == ELOOP) return unsafe_key(path, "it is a symbolic link");
  if (fd < 0 && reason != ENOENT) return fail_errno(reason, "key_unreadable", "opening " + path);
  auto key = fd < 0 ? make_key(path) : read_key(fd, path);
  if (fd >= 0) close(fd);
  if (!key) return tl::unexpected(key.error());
  return AttemptCredentials(std::move(*key));
}

Hash AttemptCredentials::environment_key() const {
  return blake2b({as_bytes(key_), as_bytes(kOfEnvironments)});
}

std::string AttemptCredentials::of(const std::string& job, std::uint32_t attempt) const {
  // The number ends at the first nondigit, so no two pairs give the same text.
  const std::string name = std::to_string(attempt) + "/" + job;
  return to_hex(blake2b({as_bytes(key_), as_bytes(kPurpose), as_bytes(name)}));
}

bool AttemptCredentials::proves(std::string_view credential, const std::string& job,
                                std::uint32_t attempt) const {
  const std::string right = of(job, attempt);
  if (credential.size() != right.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    differs |= static_cast<unsigned char>(credential[i]) ^ static_cast<unsigned char>(right[i]);
  }
  return differs == 0;
}

}  // namespace luzia
