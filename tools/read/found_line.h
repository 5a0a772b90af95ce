// A line of an output that was found by words, in parts: what stands before the match, the match, and behind.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/event/event.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "protocol.fb.h"

namespace luzia {

/// The parts point into the line. `match_size`: bytes of the match, which may be cut.
struct FoundLineParts {
  std::string_view before, match, after;
};
inline FoundLineParts parts_of(const wire::FoundLineT& line, std::size_t match_size) {
  const std::string_view text = as_text({line.text.data(), line.text.size()});
  const auto begin = static_cast<std::size_t>(line.offset - std::min(line.offset, line.text_from));
  const std::size_t before = std::min(begin, text.size());
  const std::size_t match = std::min(match_size, text.size() - before);
  return {text.substr(0, before), text.substr(before, match), text.substr(before + match)};
}

/// {"offset","end","before","words","after"}.
inline std::string found_line_json(const wire::FoundLineT& line, std::size_t match_size) {
  const FoundLineParts parts = parts_of(line, match_size);
  JsonObject object;
  object.number("offset", line.offset);
  object.number("end", line.end);
  object.text("before", without_terminal_marks(parts.before));
  object.text("words", parts.match);
  object.text("after", without_terminal_marks(parts.after));
  return object.take();
}

}  // namespace luzia
