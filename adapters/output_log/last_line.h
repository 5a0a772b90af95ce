// The last line that a person would see on a terminal, for live tails. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace luzia {

constexpr std::size_t kMaxLastLine = 512;

/// What stays visible of one line: the text after the last carriage return that is followed by any, without
/// escape sequences, cut to kMaxLastLine bytes (not within a UTF-8 character). Empty when blank.
std::string visible_text(std::string_view line);

/// What a line means to a person where it is not text for people (LineDecoder::readable): text, empty to pass
/// the line over, nullopt to take it as it stands.
using LineReading = std::function<std::optional<std::string>(std::string_view line)>;

/// The last line of `text` that is not blank, read by `reading` if there is one; looks at no more than its
/// last 64 lines.
std::optional<std::string> last_visible_line(std::string_view text, const LineReading& reading = {});

}  // namespace luzia
