#include "adapters/issues/regex_text.h"

#include <algorithm>

namespace luzia {

RegexNode RegexText::refuse(std::size_t where, std::string reason) {
  if (!refusal) refusal = RegexRefusal{std::min(where, all.size()), std::move(reason)};
  return {};
}

bool RegexText::take(std::string_view expected) {
  if (refusal || !all.substr(at).starts_with(expected)) return false;
  at += expected.size();
  return true;
}

std::uint32_t RegexText::next_character() {
  const auto byte = [this](std::size_t i) { return static_cast<std::uint8_t>(all[at + i]); };
  const std::uint8_t lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t character = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3Fu);
  at += length;
  return character;
}

}  // namespace luzia
