#include "adapters/issues/regex_atoms.h"

#include <algorithm>
#include <iterator>

namespace luzia {
namespace {

constexpr std::uint32_t kMaxCharacter = 0x10FFFF;

ByteSet set_of(std::string_view bytes) {
  ByteSet set;
  for (const char c : bytes) set.set(static_cast<std::uint8_t>(c));
  return set;
}

ByteSet range(std::size_t from, std::size_t to) {
  ByteSet set;
  for (; from <= to; ++from) set.set(from);
  return set;
}

ByteSet digits() {
  return range('0', '9');
}
ByteSet blanks() {
  return set_of(" \t\n\r\f\v");
}
ByteSet word_bytes() {
  return digits() | range('a', 'z') | range('A', 'Z') | set_of("_");
}

std::string utf8_of(std::uint32_t c) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)),
          byte(0x80 | (c & 0x3F))};
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

/// Adds the other case of letters if case is ignored; never a newline.
ByteSet RegexAtoms::folded(ByteSet set) const {
  for (std::size_t lower = 'a'; text_.flags.ignore_case && lower <= 'z'; ++lower) {
    const std::size_t upper = lower - 'a' + 'A';
    if (set[lower] || set[upper]) {
      set.set(lower);
      set.set(upper);
    }
  }
  return set;
}

RegexNode RegexAtoms::of_set(const ByteSet& set) const {
  RegexNode node;
  node.kind = RegexKind::bytes;
  node.set = folded(set);
  return node;
}

RegexNode RegexAtoms::literal(std::uint32_t character, std::size_t at) {
  if (character == '\n') return text_.refuse(at, "a newline: what is looked at is one line");
  if (character < 0x80) return of_set(range(character, character));
  RegexNode node;
  for (const char c : utf8_of(character)) {
    node.parts.emplace_back();
    node.parts.back().kind = RegexKind::bytes;
    node.parts.back().set.set(static_cast<std::uint8_t>(c));
  }
  return node;
}

RegexAtoms::Atom RegexAtoms::escape(bool in_class) {
  const std::size_t at = text_.at - 1;
  Atom atom;
  if (text_.done()) {
    text_.refuse(at, "a backslash at the end");
    return atom;
  }
  constexpr std::string_view kControls = "abfnrtv", kMeant = "\a\b\f\n\r\t\v";
  const char c = text_.all[text_.at];
  if (c >= '0' && c <= '9') return octal_escape(at, in_class);
  if (c == 'x' || c == 'u' || c == 'U') {
    ++text_.at;
    return numeric_escape(c, at);
  }
  const std::uint32_t character = text_.next_character();
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const std::size_t control = kControls.find(c);
  if (c == 'd' || c == 'D') atom.set = digits();
  if (c == 's' || c == 'S') atom.set = blanks();
  if (c == 'w' || c == 'W') atom.set = word_bytes();
  if (c == 'D' || c == 'S' || c == 'W') atom.set = ~atom.set;
  if (atom.set.any()) return atom;
  if (!in_class && (c == 'A' || c == 'Z')) {
    atom.assertion = c == 'A' ? RegexKind::line_begin : RegexKind::line_end;
  } else if (!in_class && (c == 'b' || c == 'B')) {
    atom.assertion = c == 'b' ? RegexKind::word_edge : RegexKind::no_word_edge;
  } else if (control != std::string_view::npos) {
    atom.character = static_cast<std::uint8_t>(kMeant[control]);
  } else if (c == 'N') {
    text_.refuse(at, "a character by its name, \\N{...}");
  } else if (letter) {
    text_.refuse(at, std::string("the unknown escape \\") + c);
  } else {
    atom.character = character;
  }
  return atom;
}

RegexAtoms::Atom RegexAtoms::numeric_escape(char kind, std::size_t at) {
  const int length = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  std::uint32_t value = 0;
  Atom atom;
  for (int i = 0; i < length; ++i, ++text_.at) {
    const int digit = text_.done() ? -1 : hex_value(text_.peek());
    if (digit < 0 || value > kMaxCharacter) {
      text_.refuse(at, std::string("an incomplete escape \\") + kind);
      return atom;
    }
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  if (value > kMaxCharacter || (value >= 0xD800 && value < 0xE000))
    text_.refuse(at, "an escape of no character");
  atom.character = value;
  return atom;
}

/// \0, \012, \123 are characters; \1 and \12 refer to groups.
RegexAtoms::Atom RegexAtoms::octal_escape(std::size_t at, bool in_class) {
  const auto octal = [this](std::size_t i) {
    return text_.at + i < text_.all.size() && text_.all[text_.at + i] >= '0' &&
           text_.all[text_.at + i] <= '7';
  };
  Atom atom;
  const bool character =
      text_.all[text_.at] == '0' || (octal(0) && octal(1) && octal(2)) || (in_class && octal(0));
  if (!character) {
    text_.refuse(at, "a backreference");
    return atom;
  }
  std::uint32_t value = 0;
  for (std::size_t digits = 0; digits < 3 && octal(0); ++digits, ++text_.at) {
    value = value * 8 + static_cast<std::uint32_t>(text_.all[text_.at] - '0');
  }
  if (value > 0377) text_.refuse(at, "an octal escape beyond \\377");
  atom.character = value;
  return atom;
}

RegexNode RegexAtoms::character_class(std::size_t at) {
  const bool negated = text_.take("^");
  ByteSet set;
  std::vector<RegexNode> beyond_ascii;
  for (bool first = true;; first = false) {
    if (text_.done()) return text_.refuse(at, "unterminated character set");
    if (text_.peek() == ']' && !first) break;
    const std::size_t member = text_.at;
    Atom atom;
    const std::uint32_t character = text_.next_character();
    if (character == '\\') {
      atom = escape(true);
    } else {
      atom.character = character;
    }
    class_range(atom, member, set, beyond_ascii);
    if (text_.refusal) return {};
  }
  ++text_.at;
  return class_node(at, negated, set, std::move(beyond_ascii));
}

/// Adds a member, or the range that it starts.
void RegexAtoms::class_range(Atom first, std::size_t at, ByteSet& set, std::vector<RegexNode>& beyond_ascii) {
  const bool ranged =
      text_.peek() == '-' && text_.at + 1 < text_.all.size() && text_.all[text_.at + 1] != ']';
  if (!ranged) {
    if (!first.character) {
      set |= first.set;
    } else if (*first.character < 0x80) {
      set.set(*first.character);
    } else {
      beyond_ascii.push_back(literal(*first.character, at));
    }
    return;
  }
  ++text_.at;
  Atom last;
  const std::uint32_t character = text_.next_character();
  if (character == '\\') {
    last = escape(true);
  } else {
    last.character = character;
  }
  if (text_.refusal) return;
  if (!first.character || !last.character || *last.character < *first.character) {
    text_.refuse(at, "a bad range of characters");
  } else if (*last.character >= 0x80) {
    text_.refuse(at, "a range beyond ASCII");
  } else {
    set |= range(*first.character, *last.character);
  }
}

RegexNode RegexAtoms::class_node(std::size_t at, bool negated, ByteSet set,
                                 std::vector<RegexNode> beyond_ascii) {
  if (negated && !beyond_ascii.empty())
    return text_.refuse(at, "a negated class with a character beyond ASCII");
  set = folded(set);
  RegexNode node;
  node.kind = RegexKind::bytes;
  node.set = (negated ? ~set : set) & any_byte();
  if (node.set.none() && beyond_ascii.empty()) {
    return text_.refuse(at, "a class that only a newline is in: what is looked at is one line");
  }
  if (beyond_ascii.empty()) return node;
  RegexNode either;
  either.kind = RegexKind::choice;
  if (node.set.any()) either.parts.push_back(std::move(node));
  std::ranges::move(beyond_ascii, std::back_inserter(either.parts));
  return either;
}

}  // namespace luzia
