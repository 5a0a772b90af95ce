// Text from outside made fit for an event: valid UTF-8, bounded. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// `text` with each ill-formed sequence replaced by U+FFFD (as the Unicode standard recommends: one per
/// maximal subpart), and at most `max_bytes` of result, cut between characters.
std::string bounded_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace luzia
