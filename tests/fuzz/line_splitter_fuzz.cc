// Lines do not depend on how the file is split into reads. Input: portion sizes, a 0xFF byte, then the file.
// In the file a byte 0xFE stands for 16 KiB of one character, so that small inputs reach oversized lines.
#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/output_log/line_splitter.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

class Collector final : public LineSink {
 public:
  bool line(const Line& line) override {
    require(line.text.size() <= kMaxKeptLine, "a line is bounded");
    require(line.offset + line.text.size() <= line.end, "a line's text ends before its end");
    require(line.text.find('\n') == std::string_view::npos, "a line has no newline");
    lines.emplace_back(line.text, line.offset, line.end, line.number, line.cut);
    return true;
  }
  void oversized(const Line& stretch) override {
    require(!lines.empty() && std::get<4>(lines.back()), "an oversized line begins with its kept part");
    passed += stretch.text;
  }
  bool operator==(const Collector& other) const { return lines == other.lines && passed == other.passed; }

  std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t, bool>> lines;
  std::string passed;
};

SplitPosition split(std::string_view file, std::string_view portions, Collector& lines) {
  SplitPosition position;
  std::size_t read = 0;
  const auto present = [&](std::size_t to) {
    const auto begin = static_cast<std::size_t>(position.resume_at());
    const std::size_t consumed = split_lines(position, file.substr(begin, to - begin), lines);
    require(position.resume_at() == begin + consumed, "consumed is how far the position moved");
    require(position.scanned_to == to, "all that was presented was scanned");
    require(to - position.resume_at() <= kMaxKeptLine, "what must be presented again is bounded");
    read = to;
  };
  for (const char portion : portions) {
    const auto size = static_cast<std::uint8_t>(portion);
    present(std::min(file.size(), read + (size < 0xF0 ? size : 4096u * (size - 0xEFu))));
  }
  present(file.size());
  split_last_line(position, file.substr(static_cast<std::size_t>(position.resume_at())), lines);
  return position;
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::size_t separator = std::min(input.find('\xFF'), input.size());
  std::string file;
  for (const char c : input.substr(std::min(separator + 1, input.size()))) {
    file.append(c == '\xFE' ? 16 * 1024 : 1, c);
  }
  Collector whole, parts;
  const auto expected = split(file, {}, whole);
  const auto position = split(file, input.substr(0, separator), parts);
  require(whole == parts && expected == position, "portions equal the whole");
}
