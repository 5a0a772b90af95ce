// Text of agents on a terminal: nothing in it may move the cursor, change a title, hide or reorder other
// text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace luzia {

struct HarmlessOptions {
  bool keep_newlines = false;  // else shown as the symbol for newline
  bool keep_tabs = true;       // else one space
  bool unicode = true;         // replacements as symbols (U+2400 block); else ^X and ?
};

/// Control characters (C0, DEL, C1 also as UTF-8), escape characters, invalid UTF-8, bidirectional overrides,
/// invisible format characters and line separators replaced visibly. The result is valid UTF-8.
std::string make_harmless(std::string_view text, HarmlessOptions options = {});

/// JSON or CSV, which is for programs, on a terminal: what make_harmless() replaces is spelled as JSON spells
/// it
/// (\u202e), so that JSON means the same. Line breaks and tabs stay, and with `keep_colours` our own colours.
std::string spell_out(std::string_view text, bool keep_colours);

/// `text` without what a terminal obeys and nobody reads: complete operating-system commands (OSC: progress,
/// titles, links but for their text), control sequences (CSI: colours, cursor) and choices of a character
/// set. One that is cut off, or of another kind, stays; make_harmless() shows it.
std::string without_terminal_marks(std::string_view text);

/// Columns that a terminal uses for `text` (valid UTF-8 without control characters): 2 for wide characters, 0
/// for combining ones.
std::size_t display_width(std::string_view text);

/// `text` cut to at most `width` columns, the last being an ellipsis when something was cut; never in the
/// middle of a character or before its combining marks.
std::string fit_width(std::string_view text, std::size_t width, bool unicode = true);

}  // namespace luzia
