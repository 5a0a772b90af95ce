#include "tools/luzia/agents/mcp/line_reader.h"

#include <unistd.h>

#include <cerrno>

namespace luzia::mcp {

bool LineReader::fill() {
  constexpr std::size_t kChunk = 64 * 1024;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t count = 0;
  do {
    count = ::read(fd_, buffer_.data() + before, kChunk);
  } while (count < 0 && errno == EINTR);
  buffer_.resize(before + (count > 0 ? static_cast<std::size_t>(count) : 0));
  return count > 0;
}

std::optional<LineReader::Line> LineReader::next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      Line line{buffer_.substr(0, end), skipping_ || end > kMaxLine};
      buffer_.erase(0, end + 1);
      scanned_ = 0;
      skipping_ = false;
      if (line.too_long) line.text.clear();
      return line;
    }
    scanned_ = buffer_.size();
    if (scanned_ > kMaxLine) {
      skipping_ = true;
      buffer_.clear();
      scanned_ = 0;
    }
    if (ended_ || !fill()) {
      const bool rest = !buffer_.empty() || skipping_;
      Line line{skipping_ ? std::string() : buffer_, skipping_};
      ended_ = true;
      buffer_.clear();
      scanned_ = 0;
      skipping_ = false;
      return rest ? std::optional<Line>(std::move(line)) : std::nullopt;
    }
  }
}

}  // namespace luzia::mcp
