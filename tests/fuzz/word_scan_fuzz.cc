// A search in an output, for words or by an expression of a stranger. It finds the same lines whatever number
// it is asked for at once, and by an expression the same as if nothing was known of what its lines need.
// Input: "w" or "e" and the words, a line break, the output, which is repeated until it has several pieces.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/lower_case.h"
#include "tests/fuzz/fuzz_check.h"
#include "tools/luziad/queries/word_scan.h"

namespace luzia {
namespace {

constexpr std::size_t kSeveralPieces = 40 << 10;
constexpr std::size_t kLongestLine = 4 << 10;

using Offsets = std::vector<std::uint64_t>;

/// All lines, in searches for `limit` each.
Offsets lines_of(WordScan& scan, const std::string& output, WordQuery query) {
  const auto read = [&output](std::uint64_t offset, std::span<char> into) -> Result<std::size_t> {
    require(offset <= output.size(), "only what is there is read");
    return output.copy(into.data(), into.size(), static_cast<std::size_t>(offset));
  };
  Offsets lines;
  for (bool over = false; !over;) {
    const auto found = scan.find(read, query, output.size(), [] { return true; });
    require(found.has_value(), "a search fails only if reading does");
    for (const WordLine& line : found->lines) {
      require(line.offset <= line.end && line.end <= output.size(), "a line is within the output");
      require(line.text_from <= line.offset, "a line is quoted around its words");
      lines.push_back(line.offset);
    }
    over = found->over;
    require(over || (query.backward ? found->reached < query.from : found->reached > query.from),
            "a search goes on");
    query.from = found->reached;
  }
  if (query.backward) std::ranges::reverse(lines);
  return lines;
}

Offsets lines_with(std::string_view words, const std::string& output) {
  const std::string text = lower_case(output), word = lower_case(words);
  Offsets lines;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    lines.push_back(at);
    at = std::min(text.find('\n', at), text.size());
  }
  return lines;
}

bool has_long_lines(std::string_view output) {
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    if (end - begin >= kLongestLine) return true;
    begin = end + 1;
  }
  return false;
}

void check(const std::string& words, bool is_expression, const std::string& output) {
  auto scan = WordScan::of(words, is_expression);
  if (!scan) {
    const std::string& code = scan.error().code;
    require(code == "bad_words" || (is_expression && code == "bad_pattern"), "the code of bad words");
    return;
  }
  const Offsets lines = lines_of(*scan, output, {words, 0, 0, false, 1'000, is_expression});
  // In a long line it depends on the pieces that are read where the search goes on.
  if (has_long_lines(output)) return;
  // Where the text begins and ends depends on them, too, and what follows the line end that \\C matches.
  const auto has = [&words](const char* part) { return words.find(part) != std::string::npos; };
  const bool is_of_lines = !has("(?") && !has("\\A") && !has("\\z") && !has("\\C");
  require((is_expression && !is_of_lines) ||
              lines == lines_of(*scan, output, {words, 0, 0, false, 3, is_expression}),
          "limits lose no line");
  if (!is_expression) {
    require(lines == lines_of(*scan, output, {words, ~std::uint64_t{0}, 0, true, 5, false}),
            "backwards the same lines are found");
    return require(lines == lines_with(words, output), "the lines with the words are found");
  }
  const std::string unknown = "(?:" + words + ")|\\x{1}{9}";
  auto all_lines = WordScan::of(unknown, true);
  if (!all_lines || output.find(std::string(9, '\1')) != std::string::npos) return;
  require(lines == lines_of(*all_lines, output, {unknown, 0, 0, false, 1'000, true}),
          "no line is passed by that an expression matches");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  if (input.empty()) return;
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string words(input.substr(1, std::max<std::size_t>(end, 1) - 1));
  const std::string_view once = input.substr(std::min(end + 1, input.size()));
  std::string output(once);
  while (!once.empty() && output.size() < kSeveralPieces) output += once;
  check(words, input.front() == 'e', output);
}
