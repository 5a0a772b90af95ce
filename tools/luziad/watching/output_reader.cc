#include "tools/luziad/watching/output_reader.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "adapters/output_log/redacted_read.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {

std::uint32_t output_owner(const std::string& user) {
  passwd account{};
  passwd* found = nullptr;
  std::array<char, 16 << 10> words;
  getpwnam_r(user.c_str(), &account, words.data(), words.size(), &found);
  return found != nullptr ? found->pw_uid : parse_whole_number<std::uint32_t>(user).value_or(kNoOwner);
}

namespace {

constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

/// In one call, as a search opens thousands. None: it does not exist, a folder above it is a link, or the
/// kernel or a sandbox does not know the call.
Descriptor open_without_links(const std::string& path) {
  open_how how{};
  how.flags = kOpenFile;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return Descriptor(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

}  // namespace

Result<OutputReader> OutputReader::open(const std::string& attempt_dir, std::uint32_t owner_uid) {
  Descriptor file = open_without_links(attempt_dir + "/output.log");
  if (!file) {
    const Descriptor dir(::open(attempt_dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!dir && errno == ENOENT) return OutputReader(Descriptor());
    if (!dir) return fail_errno(errno, "output_unreadable", "cannot open " + attempt_dir);
    file = Descriptor(openat(dir.get(), "output.log", kOpenFile));
  }
  if (!file && errno == ENOENT) return OutputReader(Descriptor());
  if (!file) return fail_errno(errno, "output_unreadable", "cannot open " + attempt_dir + "/output.log");
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != owner_uid) {
    return fail(ErrorKind::refused, "output_unreadable",
                attempt_dir + "/output.log is not a regular file of the job's user: not read");
  }
  return OutputReader(std::move(file));
}

Result<OutputReader> OutputReader::open_foreign(const ForeignLog& log, const schema::CheckpointT& read) {
  schema::CheckpointT wanted = read;
  wanted.scanned_to = 0;  // also if it was read to its end
  const LogFile file(log, wanted);
  const bool is_it = file.identity().dev == read.dev && file.identity().ino == read.ino;
  if (file.state() == LogFile::State::missing || (has_file(read) && !is_it))
    return OutputReader(Descriptor(), false);
  if (file.state() != LogFile::State::readable) return tl::unexpected(file.error());
  Descriptor copy(fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return fail_errno(errno, "output_unreadable", "cannot open " + log.path);
  return OutputReader(std::move(copy), false);
}

std::uint64_t OutputReader::size() const {
  struct stat status {};
  return fd_ && fstat(fd_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::uint64_t OutputReader::size_without_exit_line(std::uint64_t whole) const {
  constexpr std::string_view kMark = "\nexit:";
  std::array<char, 32> bytes;
  if (!has_exit_line_) return whole;
  const std::uint64_t from = whole - std::min<std::uint64_t>(whole, bytes.size());
  const auto got = read(from, std::span(bytes).first(static_cast<std::size_t>(whole - from)));
  const std::string_view end(bytes.data(), got ? *got : 0);
  if (!end.ends_with('\n')) return whole;
  const std::size_t at = end.rfind(kMark);
  if (at == std::string_view::npos) return whole;
  const std::size_t code = at + kMark.size();
  return end.find_first_not_of("-0123456789", code) == end.size() - 1 ? from + at : whole;
}

Result<std::string> OutputReader::read(std::uint64_t offset, std::size_t max) const {
  std::string bytes;
  if (!fd_) return bytes;
  bytes.resize(max);
  const std::size_t got = LUZIA_TRY(read(offset, std::span(bytes)));
  bytes.resize(got);
  return bytes;
}

Result<std::size_t> OutputReader::read(std::uint64_t offset, std::span<char> into) const {
  if (!fd_) return std::size_t{0};
  const ssize_t got = read_redacted(redactor_.get(), fd_.get(), offset, into, goes_on_);
  if (got < 0) return fail_errno(errno, "output_unreadable", "cannot read output.log");
  return static_cast<std::size_t>(got);
}

Result<std::uint64_t> OutputReader::offset_of_last_lines(std::uint64_t lines, std::uint64_t end) const {
  constexpr std::uint64_t kBlock = 64 * 1024;
  if (lines == 0) return end;
  std::uint64_t at = end;
  bool skip_final_newline = true;
  while (at > 0) {
    if (end - at >= kMostLookedBack) return at;
    const std::uint64_t from = at > kBlock ? at - kBlock : 0;
    auto block = LUZIA_TRY(read(from, at - from));
    for (std::size_t i = block.size(); i-- > 0;) {
      if (block[i] != '\n') {
        skip_final_newline = false;
        continue;
      }
      if (std::exchange(skip_final_newline, false)) continue;
      if (--lines == 0) return from + i + 1;
    }
    at = from;
  }
  return std::uint64_t{0};
}

}  // namespace luzia
