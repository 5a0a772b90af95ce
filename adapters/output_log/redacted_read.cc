#include "adapters/output_log/redacted_read.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace luzia {
namespace {

ssize_t read_whole(int descriptor, std::uint64_t offset, std::span<char> into) {
  std::size_t whole = 0;
  while (whole < into.size()) {
    const ssize_t got =
        ::pread(descriptor, into.data() + whole, into.size() - whole, static_cast<off_t>(offset + whole));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    whole += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(whole);
}

}  // namespace

ssize_t read_redacted(const Redactor* redactor, int descriptor, std::uint64_t offset, std::span<char> into,
                      bool goes_on) {
  if (redactor == nullptr) return read_whole(descriptor, offset, into);
  const auto before = static_cast<std::size_t>(std::min<std::uint64_t>(offset, redactor->context()));
  std::string around(before + into.size() + redactor->context(), '\0');
  const ssize_t got = read_whole(descriptor, offset - before, std::span(around));
  if (got <= static_cast<ssize_t>(before)) return std::min<ssize_t>(got, 0);
  const bool at_end = static_cast<std::size_t>(got) < around.size();
  around.resize(static_cast<std::size_t>(got));
  redactor->black_out(std::span(around), at_end && goes_on);
  const std::size_t size = std::min(into.size(), around.size() - before);
  std::copy_n(around.data() + before, size, into.data());
  return static_cast<ssize_t>(size);
}

}  // namespace luzia
