// The displayed last line is bounded and contains no escape sequence.
#include "adapters/output_log/last_line.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view input) {
  const auto check = [](std::string_view shown) {
    require(shown.size() <= kMaxLastLine, "bounded");
    require(shown.find('\x1b') == std::string::npos, "no escape sequence");
    require(shown.find('\r') == std::string::npos, "nothing that was overwritten");
  };
  check(visible_text(input));
  const auto last = last_visible_line(input);
  if (last) {
    check(*last);
    require(!last->empty() && last->find('\n') == last->npos, "one line, not blank");
  }
}
