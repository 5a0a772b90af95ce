#include "tools/luzia/set_up/line_diff.h"

#include <algorithm>
#include <vector>

namespace luzia::init {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

void put(std::string& out, char sign, std::string_view line) {
  out += sign;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

/// Longest common subsequence; its table is small because changed parts of settings files are short.
std::string changed_lines(const Lines& before, const Lines& after) {
  const std::size_t rows = before.size() + 1, columns = after.size() + 1;
  std::vector<std::size_t> common(rows * columns, 0);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      common[i * columns + j] = before[i] == after[j]
                                    ? common[(i + 1) * columns + j + 1] + 1
                                    : std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
    }
  }
  std::string out;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      put(out, ' ', before[i++]);
      ++j;
    } else if (j == after.size() ||
               (i < before.size() && common[(i + 1) * columns + j] >= common[i * columns + j + 1])) {
      put(out, '-', before[i++]);
    } else {
      put(out, '+', after[j++]);
    }
  }
  return out;
}

/// For parts that are too long to be compared line by line.
std::string replaced_lines(const Lines& before, const Lines& after) {
  std::string out;
  for (const auto line : before) put(out, '-', line);
  for (const auto line : after) put(out, '+', line);
  return out;
}

}  // namespace

std::string line_diff(const std::string& file, std::string_view before, std::string_view after) {
  constexpr std::size_t kContext = 3, kMostCompared = 2'000;
  if (before == after) return {};
  const Lines old_lines = lines_of(before), new_lines = lines_of(after);
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  while (head < shorter && old_lines[head] == new_lines[head]) ++head;
  while (tail < shorter - head &&
         old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t from = head - std::min(head, kContext), keep = tail - std::min(tail, kContext);
  const auto part = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(from),
                 lines.end() - static_cast<std::ptrdiff_t>(keep));
  };
  const Lines old_part = part(old_lines), new_part = part(new_lines);
  const auto range = [&](const Lines& lines) {
    return std::to_string(lines.empty() ? 0 : from + 1) + "," + std::to_string(lines.size());
  };
  const bool small = old_part.size() <= kMostCompared && new_part.size() <= kMostCompared;
  return "--- " + (before.empty() ? "/dev/null" : file) + "\n+++ " + (after.empty() ? "/dev/null" : file) +
         "\n@@ -" + range(old_part) + " +" + range(new_part) + " @@\n" +
         (small ? changed_lines(old_part, new_part) : replaced_lines(old_part, new_part));
}

}  // namespace luzia::init
