#include "engine/base/short_line.h"

#include <utility>

#include "engine/base/characters.h"
#include "engine/base/utf8.h"

namespace luzia {

std::string short_line(std::string_view text, std::size_t most) {
  std::string line;
  std::size_t characters = 0, cut = 0;  // cut: the size of the first most - 1 characters
  const auto add = [&](std::string_view character) {
    line += character;
    if (++characters < most) cut = line.size();
  };
  bool blank = false;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.size);
    text.remove_prefix(character.size);
    if (bytes == " " || is_control(bytes.front())) {
      blank = !line.empty();
      continue;
    }
    if (std::exchange(blank, false)) add(" ");
    add(character.valid ? bytes : kReplacement);
    if (characters > most) return line.substr(0, cut).append("…");
  }
  return line;
}

}  // namespace luzia
