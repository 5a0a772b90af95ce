// The text of an expression while it is parsed: the position in it, the flags that hold there, and the first
// refusal, after which it counts as read to its end. Private to adapters/issues.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/issues/python_regex.h"

namespace luzia {

struct RegexFlags {
  bool ignore_case = false, verbose = false;
};

struct RegexText {
  std::string_view all;  // valid UTF-8
  std::size_t at = 0;
  RegexFlags flags = {};
  std::optional<RegexRefusal> refusal = {};

  bool done() const { return refusal || at >= all.size(); }
  char peek() const { return done() ? '\0' : all[at]; }
  /// Moves past `expected` if it is next.
  bool take(std::string_view expected);
  /// Moves past the next character; there must be one.
  std::uint32_t next_character();
  /// Keeps the first refusal. `where`: position of what is refused. Returns an empty node.
  RegexNode refuse(std::size_t where, std::string reason);
};

}  // namespace luzia
