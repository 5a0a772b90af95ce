// Extracts the last line that a person would see on a terminal, for live tails. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

constexpr std::size_t kMaxLastLine = 512;

/// The visible part of a line: the text after the last carriage return that has text after it, without escape
/// sequences, cut to kMaxLastLine bytes at a character boundary. Empty if blank.
std::string visible_text(std::string_view line);

/// Converts a line that is not meant for people (LineDecoder::readable): returns its text; empty to skip the
/// line; nullopt to take it as it is.
using LineReading = std::function<std::optional<std::string>(std::string_view line)>;

/// The last nonblank line of `text`, converted by `reading` if set. Examines at most the last 64 lines.
std::optional<std::string> last_visible_line(std::string_view text, const LineReading& reading = {});

}  // namespace luzia
