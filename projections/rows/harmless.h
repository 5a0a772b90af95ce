// Makes text of agents safe for a terminal: it cannot move the cursor, change a title, or hide or reorder
// other text. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace luzia {

struct HarmlessOptions {
  bool keep_newlines = false;  // false: shown as the symbol for newline
  bool keep_tabs = true;       // false: shown as one space
  bool unicode = true;         // replacements as symbols (U+2400 block); false: as ^X and ?
};

/// Replaces visibly: control characters (C0, DEL, C1 also as UTF-8), escape characters, invalid UTF-8,
/// bidirectional overrides, invisible format characters and line separators. The result is valid UTF-8.
std::string make_harmless(std::string_view text, HarmlessOptions options = {});

/// For JSON or CSV that is printed on a terminal: escapes what make_harmless() replaces the way JSON does
/// (\u202e), so that JSON keeps its meaning. Keeps line breaks and tabs, and with `keep_colours` Luzia's own
/// colors.
std::string spell_out(std::string_view text, bool keep_colours);

/// Removes complete terminal sequences that nobody reads: operating-system commands (OSC: progress, titles,
/// links except their text), control sequences (CSI: colors, cursor) and character set selections. Incomplete
/// and other sequences stay; make_harmless() shows them.
std::string without_terminal_marks(std::string_view text);

/// As make_harmless() without_terminal_marks(), but keeps colors and weights (SGR) except those that hide
/// text, and ends with a reset if there is one.
std::string make_harmless_but_colours(std::string_view text, HarmlessOptions options = {});

/// Number of columns that a terminal uses for `text` (valid UTF-8 without control characters): 2 for wide
/// characters, 0 for combining ones.
std::size_t display_width(std::string_view text);

/// `text` cut to at most `width` columns, ending with an ellipsis if something was cut. Never cuts inside a
/// character or before its combining marks.
std::string fit_width(std::string_view text, std::size_t width, bool unicode = true);

/// The same, cut at its beginning.
std::string fit_end(std::string_view text, std::size_t width, bool unicode = true);

/// The same, cut in the middle: of a sentence that says why, the end matters most. Narrow texts are cut at
/// their end.
std::string fit_both_ends(std::string_view text, std::size_t width, bool unicode = true);

}  // namespace luzia
