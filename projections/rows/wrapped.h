// Running text in lines of a given width. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// The lines of `text` (harmless already, line breaks kept), none wider than `width` columns (0: as they
/// are): broken at spaces, inside a word only where the word alone is too wide. Text of more than `most`
/// lines ends after these; `is_cut` tells.
struct WrappedText {
  std::vector<std::string> lines;
  bool is_cut = false;
};
WrappedText wrap_text(std::string_view text, std::size_t width, std::size_t most);

/// `text` (harmless already, line breaks kept) for a place that begins at column `indent` of `width` (0: as
/// it is): the first line goes there, the others are indented to it. A word that alone is too wide stays
/// whole: a path is to be copied.
std::string wrap_hanging(std::string_view text, std::size_t width, std::size_t indent);

/// Of help texts, whatever they are shown on.
inline constexpr std::size_t kHelpWidth = 80;

}  // namespace luzia
