#include "tools/luzia/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace luzia {
namespace {

constexpr std::size_t kMaxTextBytes = 8 << 20;

}  // namespace

Result<std::string> read_text(const std::string& path) {
  const bool from_stdin = path == "-";
  const std::string what = from_stdin ? "standard input" : path;
  const int fd = from_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail(ErrorKind::usage, "unreadable",
                "reading " + what + ": " + std::generic_category().message(errno));
  }
  std::string text;
  ssize_t count = 0;
  do {
    const std::size_t before = text.size();
    text.resize(before + (64 << 10));
    count = ::read(fd, text.data() + before, text.size() - before);
    text.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
  } while ((count > 0 || (count < 0 && errno == EINTR)) && text.size() <= kMaxTextBytes);
  const int reason = count < 0 ? errno : 0;
  if (!from_stdin) ::close(fd);
  if (reason != 0) {
    return fail(ErrorKind::usage, "unreadable",
                "reading " + what + ": " + std::generic_category().message(reason));
  }
  if (text.size() > kMaxTextBytes) {
    return fail(ErrorKind::usage, "too_long", "reading " + what + ": it is larger than 8 MiB");
  }
  return text;
}

}  // namespace luzia
