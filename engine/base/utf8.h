// Makes text from outside fit for an event: valid UTF-8 of bounded size. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// `text` with each ill-formed sequence replaced by U+FFFD, one per maximal subpart as the Unicode standard
/// recommends. At most `max_bytes`, cut between characters.
std::string bounded_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace luzia
