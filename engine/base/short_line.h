// Text from outside as one short line: for summaries. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace luzia {

inline constexpr std::size_t kSummaryCharacters = 160;

/// The text as valid UTF-8 in one line of at most `most` characters, of which the last is "…" if more were
/// there. Each run of blanks and control characters is one blank; none begins or ends the line.
std::string short_line(std::string_view text, std::size_t most = kSummaryCharacters);

}  // namespace luzia
