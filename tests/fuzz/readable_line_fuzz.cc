// The readable text for an output line is bounded by the line's size, and a line that does not begin an
// object is shown unchanged.
#include "adapters/agents/readable_line.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view line) {
  const auto lines = readable_lines(line);
  if (!lines) return;
  require(line.find('{') != std::string_view::npos, "only an object is an agent's line");
  std::size_t total = 0;
  for (const std::string& each : *lines) total += each.size();
  require(lines->size() <= line.size() + 8, "no more lines than bytes");
  require(total <= 40 * line.size() + 1024, "not much longer than what it stands for");
}
