// The parser behind parse_python_regex(): recursive descent with bounded depth and size. Private to
// adapters/issues. The first refusal is stored and ends parsing: every function then returns at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/regex_atoms.h"

namespace luzia {

class RegexParser {
 public:
  /// `text` is valid UTF-8 and outlives the parser.
  explicit RegexParser(std::string_view text) : text_{text} {}
  RegexParser(const RegexParser&) = delete;
  RegexParser& operator=(const RegexParser&) = delete;

  tl::expected<RegexNode, RegexRefusal> parse();

 private:
  RegexNode choice();
  RegexNode sequence();
  RegexNode item(bool& repeatable);
  RegexNode repeated(RegexNode item, std::size_t at, bool repeatable);
  RegexNode group(std::size_t at);
  RegexNode capture(std::string name);
  RegexNode bracketed();
  RegexNode extension(std::size_t at);
  void leading_flags();
  bool read_flags(RegexFlags& flags);
  std::string group_name(std::size_t at);
  bool times(std::uint32_t& least, std::uint32_t& most);
  void skip_verbose();
  void skip_comment(std::size_t at);

  RegexText text_;
  RegexAtoms atoms_{text_};
  std::size_t depth_ = 0;
  std::size_t captures_ = 0;
  std::vector<std::string> names_;
};

}  // namespace luzia
