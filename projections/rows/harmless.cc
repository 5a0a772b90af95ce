#include "projections/rows/harmless.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdio>

#include "engine/base/utf8.h"

namespace luzia {
namespace {

/// As utf8proc, except where terminals differ: a spacing mark (Mc) takes a column, and the vowel and the
/// final consonant of a Hangul syllable are drawn into its first part.
std::size_t columns(std::uint32_t code) {
  if (code < 0x300) return 1;
  if (code >= 0x1160 && code <= 0x11ff) return 0;
  const auto point = static_cast<utf8proc_int32_t>(code);
  if (utf8proc_category(point) == UTF8PROC_CATEGORY_MC) return 1;
  return static_cast<std::size_t>(utf8proc_charwidth(point));
}

/// How many bytes at the beginning are printable ASCII, of one column each: mostly all.
std::size_t plain_size(std::string_view text) {
  constexpr std::size_t kStep = 16;  // compared at once
  const auto is_other = [](char byte) { return static_cast<unsigned char>(byte - ' ') > '~' - ' '; };
  std::size_t size = 0;
  for (bool any = false; !any && text.size() - size >= kStep; size += any ? 0 : kStep) {
    for (std::size_t i = 0; i < kStep; ++i) any |= is_other(text[size + i]);
  }
  while (size < text.size() && !is_other(text[size])) ++size;
  return size;
}

/// Characters that invisibly hide, reorder or break lines. Joiners are kept, because scripts and emoji need
/// them.
bool is_deceiving(std::uint32_t code) {
  constexpr std::uint32_t kDeceiving[][2] = {
      {0x80, 0x9f},        // C1 controls
      {0xad, 0xad},        // soft hyphen
      {0x61c, 0x61c},      // Arabic letter mark
      {0x180e, 0x180e},    // Mongolian vowel separator
      {0x200b, 0x200b},    // zero width space
      {0x200e, 0x200f},    // directional marks
      {0x2028, 0x202e},    // line and paragraph separator, embeddings, overrides
      {0x2060, 0x206f},    // invisible operators, isolates, deprecated format characters
      {0xfeff, 0xfeff},    // byte order mark
      {0xfff9, 0xfffb},    // interlinear annotation
      {0xe0000, 0xe007f},  // tags
  };
  const auto is_within = [code](const auto& range) { return code >= range[0] && code <= range[1]; };
  return code >= 0x80 && std::ranges::any_of(kDeceiving, is_within);
}

void append_control(std::string& out, std::uint32_t code, const HarmlessOptions& options) {
  if (code == '\n' && options.keep_newlines) {
    out += '\n';
  } else if (code == '\t') {
    out += options.keep_tabs ? '\t' : ' ';
  } else if (!options.unicode) {
    out += '^';
    out += static_cast<char>(code == 0x7f ? '?' : code + '@');
  } else {
    out += "\xE2\x90";  // the symbols for controls begin at U+2400; that for DEL is U+2421
    out += static_cast<char>(code == 0x7f ? 0xA1U : 0x80 + code);
  }
}

void append_shown(std::string& out, const Character& c, std::string_view bytes,
                  const HarmlessOptions& options) {
  if (!c.valid) {
    out += options.unicode ? kReplacement : std::string_view("?");
  } else if (c.code < 0x20 || c.code == 0x7f) {
    append_control(out, c.code, options);
  } else if (is_deceiving(c.code)) {
    char name[16];
    const int size = std::snprintf(name, sizeof name, "<U+%04X>", static_cast<unsigned>(c.code));
    out.append(name, static_cast<std::size_t>(size));
  } else {
    out += bytes;
  }
}

/// "\\u202e"; two escapes (a surrogate pair) for a code point above U+FFFF.
void append_spelled(std::string& out, std::uint32_t code) {
  char text[16];
  int size = 0;
  if (code < 0x10000) {
    size = std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(code));
  } else {
    const std::uint32_t rest = code - 0x10000;
    size = std::snprintf(text, sizeof text, "\\u%04x\\u%04x", static_cast<unsigned>(0xd800 + (rest >> 10)),
                         static_cast<unsigned>(0xdc00 + (rest & 0x3ff)));
  }
  out.append(text, static_cast<std::size_t>(size));
}

/// Size in bytes of the color sequence (ESC [ digits and semicolons m) at the beginning of `text`; 0: none.
std::size_t colour_size(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// Size in bytes of the complete sequence at the beginning of `text`, which begins with ESC; 0: none.
std::size_t mark_size(std::string_view text) {
  if (text.size() < 3) return 0;
  const auto is_between = [&](std::size_t i, char low, char high) {
    return text[i] >= low && text[i] <= high;
  };
  if (text[1] == '(' || text[1] == ')') return is_between(2, '0', '~') ? 3 : 0;
  std::size_t i = 2;
  if (text[1] == '[') {
    while (i < text.size() && is_between(i, '0', '?')) ++i;
    while (i < text.size() && is_between(i, ' ', '/')) ++i;
    return i < text.size() && is_between(i, '@', '~') ? i + 1 : 0;
  }
  if (text[1] != ']') return 0;
  for (; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\a') return i + 1;
    if (text[i] == '\x1b') return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : 0;
  }
  return 0;
}

/// Whether a color sequence's parameters ("1;31") conceal text or make it blink. Colors of a palette and RGB
/// colors (38;5;N, 48;2;R;G;B) have numbers of their own.
bool conceals(std::string_view parameters) {
  std::size_t of_colour = 0;  // numbers to come that belong to a color
  bool kind = false;          // the next number says how many
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    std::string_view number = parameters.substr(0, end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    if (kind) {
      of_colour = number == "5" ? 1 : number == "2" ? 3 : 0;
      kind = false;
    } else if (of_colour > 0) {
      --of_colour;
    } else if (number == "5" || number == "6" || number == "8") {
      return true;
    } else {
      kind = number == "38" || number == "48";
    }
  }
  return false;
}

std::size_t columns_of_first(std::string_view text) {
  const Character c = first_character(text);
  return c.valid ? columns(c.code) : 1;
}

std::string ellipsis(bool unicode) {
  return unicode ? "\xE2\x80\xA6" : "~";
}

/// The last characters of a text of `left` columns that fit `room`, which is less.
std::string_view end_within(std::string_view text, std::size_t left, std::size_t room) {
  while (left > room || (!text.empty() && columns_of_first(text) == 0)) {
    left -= columns_of_first(text);
    text.remove_prefix(first_character(text).size);
  }
  return text;
}

}  // namespace

std::string make_harmless_but_colours(std::string_view text, HarmlessOptions options) {
  std::string out;
  bool coloured = false;
  while (!text.empty()) {
    if (const std::size_t colour = colour_size(text); colour > 0) {
      if (!conceals(text.substr(2, colour - 3))) {
        out += text.substr(0, colour);
        coloured = true;
      }
      text.remove_prefix(colour);
      continue;
    }
    const std::size_t mark = text.front() == '\x1b' ? mark_size(text) : 0;
    const std::size_t plain =
        mark > 0 ? 0 : std::max<std::size_t>(1, std::min(text.find('\x1b', 1), text.size()));
    out += make_harmless(text.substr(0, plain), options);
    text.remove_prefix(std::max(mark, plain));
  }
  return coloured ? out + "\x1b[0m" : out;
}

std::string without_terminal_marks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\x1b'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t mark = mark_size(text);
    if (mark == 0) out += text.front();
    text.remove_prefix(std::max<std::size_t>(mark, 1));
  }
  return out;
}

std::string make_harmless(std::string_view text, HarmlessOptions options) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t plain = plain_size(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const Character c = first_character(text);
    append_shown(out, c, text.substr(0, c.size), options);
    text.remove_prefix(c.size);
  }
}

std::string spell_out(std::string_view text, bool keep_colours) {
  constexpr std::uint32_t kUnreadable = 0xfffd;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    std::size_t size = c.size;
    const bool breaks = c.code == '\n' || c.code == '\t' || text.starts_with("\r\n");
    const bool control = c.valid && (c.code < 0x20 || c.code == 0x7f) && !breaks;
    if (const std::size_t colour = keep_colours ? colour_size(text) : 0; colour > 0) {
      size = colour;
      out += text.substr(0, size);
    } else if (!c.valid || control || is_deceiving(c.code)) {
      append_spelled(out, c.valid ? c.code : kUnreadable);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (true) {
    const std::size_t plain = plain_size(text);
    width += plain;
    text.remove_prefix(plain);
    if (text.empty()) return width;
    const Character c = first_character(text);
    width += c.valid ? columns(c.code) : 1;
    text.remove_prefix(c.size);
  }
}

std::string fit_width(std::string_view text, std::size_t width, bool unicode) {
  if (text.size() <= width && plain_size(text) == text.size()) return std::string(text);
  std::size_t used = 0;
  std::size_t kept = 0;  // bytes that fit and leave a column for the ellipsis
  std::string_view rest = text;
  while (!rest.empty()) {
    const Character c = first_character(rest);
    used += c.valid ? columns(c.code) : 1;
    if (used > width) break;
    rest.remove_prefix(c.size);
    if (used + 1 <= width) kept = text.size() - rest.size();
  }
  if (rest.empty()) return std::string(text);
  if (width == 0) return {};
  return std::string(text.substr(0, kept)) + ellipsis(unicode);
}

std::string fit_end(std::string_view text, std::size_t width, bool unicode) {
  const std::size_t whole = display_width(text);
  if (whole <= width) return std::string(text);
  if (width == 0) return {};
  return ellipsis(unicode) + std::string(end_within(text, whole, width - 1));
}

std::string fit_both_ends(std::string_view text, std::size_t width, bool unicode) {
  constexpr std::size_t kNarrow = 16;
  const std::size_t whole = display_width(text);
  if (whole <= width || width < kNarrow) return fit_width(text, width, unicode);
  constexpr std::size_t kWide = 100, kEndOfWide = 40;
  const std::size_t first = width < kWide ? width * 2 / 5 : width - kEndOfWide;
  const std::string begin = fit_width(text, first, unicode);
  return begin + std::string(end_within(text, whole, width - display_width(begin)));
}

}  // namespace luzia
