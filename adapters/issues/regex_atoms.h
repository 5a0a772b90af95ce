// Parses what an expression consists of: characters, escapes and classes. Private to adapters/issues.
#pragma once

#include <optional>
#include <vector>

#include "adapters/issues/regex_text.h"

namespace luzia {

/// After a refusal the results mean nothing.
class RegexAtoms {
 public:
  /// The meaning of an escape or a single character: a character, a class, or an assertion.
  struct Atom {
    std::optional<std::uint32_t> character;
    ByteSet set;
    std::optional<RegexKind> assertion;
  };
  /// `text` must outlive it.
  explicit RegexAtoms(RegexText& text) : text_(text) {}

  /// Parses the text after a backslash.
  Atom escape(bool in_class);
  /// Parses the text after a bracket, which is at `at`.
  RegexNode character_class(std::size_t at);
  RegexNode literal(std::uint32_t character, std::size_t at);
  RegexNode of_set(const ByteSet& set) const;

 private:
  Atom numeric_escape(char kind, std::size_t at);
  Atom octal_escape(std::size_t at, bool in_class);
  void class_range(Atom first, std::size_t at, ByteSet& set, std::vector<RegexNode>& beyond_ascii);
  RegexNode class_node(std::size_t at, bool negated, ByteSet set, std::vector<RegexNode> beyond_ascii);
  ByteSet folded(ByteSet set) const;

  RegexText& text_;
};

}  // namespace luzia
