// The parser behind parse_python_regex(): recursive descent with bounded depth and size. Private to
// adapters/issues. The first refusal is stored and ends parsing: every function then returns at once.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/issues/python_regex.h"

namespace luzia {

class RegexParser {
 public:
  /// `text` is valid UTF-8 and outlives the parser.
  explicit RegexParser(std::string_view text) : text_(text) {}

  tl::expected<RegexNode, RegexRefusal> parse();

 private:
  struct Flags {
    bool ignore_case = false, verbose = false;
  };
  /// The meaning of an escape or a single character: a character, a class, or an assertion.
  struct Atom {
    std::optional<std::uint32_t> character;
    ByteSet set;
    std::optional<RegexKind> assertion;
  };

  // regex_parser.cc: structure
  RegexNode choice();
  RegexNode sequence();
  RegexNode repeated(RegexNode item, std::size_t at, bool repeatable);
  RegexNode group(std::size_t at);
  RegexNode capture(std::string name);
  RegexNode bracketed();
  RegexNode extension(std::size_t at);
  void leading_flags();
  bool read_flags(Flags& flags);
  std::string group_name(std::size_t at);
  bool times(std::uint32_t& least, std::uint32_t& most);
  void skip_verbose();
  void skip_comment(std::size_t at);

  // regex_atoms.cc: characters, escapes, classes
  RegexNode item(bool& repeatable);
  Atom escape(bool in_class);
  Atom numeric_escape(char kind, std::size_t at);
  Atom octal_escape(std::size_t at, bool in_class);
  RegexNode character_class(std::size_t at);
  void class_range(Atom first, std::size_t at, ByteSet& set, std::vector<RegexNode>& beyond_ascii);
  RegexNode class_node(std::size_t at, bool negated, ByteSet set, std::vector<RegexNode> beyond_ascii);
  RegexNode literal(std::uint32_t character, std::size_t at);
  RegexNode of_set(const ByteSet& set) const;
  ByteSet folded(ByteSet set) const;

  bool done() const { return refusal_ || at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  bool take(std::string_view expected);
  std::uint32_t next_character();
  RegexNode refuse(std::size_t at, std::string reason);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t captures_ = 0;
  std::vector<std::string> names_;
  Flags flags_;
  std::optional<RegexRefusal> refusal_;
};

}  // namespace luzia
