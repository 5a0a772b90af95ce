// Wraps text to lines of a given width. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// The lines of `text` (already harmless, with its line breaks), each at most `width` columns (0: not
/// wrapped). Breaks at spaces, and inside a word only if the word alone is too wide. Keeps at most `most`
/// lines; `is_cut` says whether there were more.
struct WrappedText {
  std::vector<std::string> lines;
  bool is_cut = false;
};
WrappedText wrap_text(std::string_view text, std::size_t width, std::size_t most);

/// Wraps `text` (already harmless, with its line breaks) that begins at column `indent` of `width` columns
/// (0: not wrapped). Later lines are indented to that column. A word that alone is too wide is not broken, so
/// that paths can be copied.
std::string wrap_hanging(std::string_view text, std::size_t width, std::size_t indent);

/// Width of help texts on any output.
inline constexpr std::size_t kHelpWidth = 80;

}  // namespace luzia
