// The displayed last line is bounded and contains no escape sequence.
#include <cstdint>

#include "adapters/output_log/last_line.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto check = [](std::string_view shown) {
    luzia::require(shown.size() <= luzia::kMaxLastLine, "bounded");
    luzia::require(shown.find('\x1b') == std::string::npos, "no escape sequence");
    luzia::require(shown.find('\r') == std::string::npos, "nothing that was overwritten");
  };
  check(luzia::visible_text(input));
  const auto last = luzia::last_visible_line(input);
  if (last) {
    check(*last);
    luzia::require(!last->empty() && last->find('\n') == last->npos, "one line, not blank");
  }
  return 0;
}
