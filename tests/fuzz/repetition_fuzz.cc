// Detection of an agent that repeats itself. A reported cycle has few lines, ends with the line just read,
// was seen often enough, and never more often than there were lines for.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "adapters/output_log/repetition.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

void check(const Repetition& told, const Line& last) {
  require(told.cycle >= 1 && told.cycle <= RepetitionDetector::kLongestCycle, "a round has few lines");
  require(told.repeats >= RepetitionDetector::kFewestRepeats, "few rounds are told of nobody");
  require((told.repeats - 1) * told.cycle < last.number, "no more rounds than there were lines for");
  require(told.from <= last.offset && told.to == last.end, "the last round ends with this line");
  require(told.line == last.text.substr(0, kMaxRepeatedText), "whose beginning is told");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  RepetitionDetector detector;
  std::uint64_t number = 0;
  for (std::size_t from = 0; from < input.size();) {
    const std::size_t end = std::min(input.find('\n', from), input.size());
    const Line line{input.substr(from, end - from), from, end + 1, ++number};
    detector.add(line);
    if (const Repetition told = detector.take(); told.repeats != 0) check(told, line);
    from = end + 1;
  }
  require(detector.take().repeats == 0, "nothing is told twice");
}
