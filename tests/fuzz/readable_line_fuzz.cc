// The readable text for an output line is bounded by the line's size, and a line that does not begin an
// object is shown unchanged.
#include <cstdint>

#include "adapters/agents/readable_line.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(bytes), size);
  const auto lines = luzia::readable_lines(line);
  if (!lines) return 0;
  luzia::require(line.find('{') != std::string_view::npos, "only an object is an agent's line");
  std::size_t total = 0;
  for (const std::string& each : *lines) total += each.size();
  luzia::require(lines->size() <= size + 8, "no more lines than bytes");
  luzia::require(total <= 40 * size + 1024, "not much longer than what it stands for");
  return 0;
}
