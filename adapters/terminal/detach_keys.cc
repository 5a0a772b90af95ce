#include "adapters/terminal/detach_keys.h"

#include <algorithm>

namespace luzia {
namespace {

/// Ctrl-\ as terminals send it; the second form after a program enabled unambiguous keys (kitty).
constexpr std::string_view kPrefixes[] = {"\x1c", "\x1b[92;5u"};
constexpr std::string_view kLeaves[] = {"d", "\x1b[100u"};

std::string_view beginning(std::string_view text, const std::string_view (&words)[2]) {
  for (const std::string_view word : words) {
    if (text.starts_with(word)) return word;
  }
  return {};
}

}  // namespace

std::string DetachKeys::pass(std::string_view typed) {
  std::string passed;
  while (!typed.empty() && !detached_) {
    const std::string_view prefix = beginning(typed, kPrefixes);
    if (!after_prefix_ && !prefix.empty()) {
      after_prefix_ = true;
      prefix_ = prefix;
      typed.remove_prefix(prefix.size());
      continue;
    }
    if (after_prefix_) {
      after_prefix_ = false;
      detached_ = !beginning(typed, kLeaves).empty();
      if (!detached_) passed += prefix_;
      if (!prefix.empty()) typed.remove_prefix(prefix.size());
      continue;
    }
    const std::size_t next = std::min(typed.find('\x1c', 1), typed.find('\x1b', 1));
    passed += typed.substr(0, next);
    typed.remove_prefix(std::min(next, typed.size()));
  }
  return passed;
}

}  // namespace luzia
