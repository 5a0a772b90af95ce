#include "adapters/issues/regex_parser.h"

#include <algorithm>
#include <charconv>

#include "engine/base/variable_name.h"

namespace luzia {
namespace {

RegexNode node_of(RegexKind kind, std::vector<RegexNode> parts) {
  RegexNode node;
  node.kind = kind;
  node.parts = std::move(parts);
  return node;
}

bool is_identifier(std::string_view name) {
  return name.size() <= 64 && is_variable_name(name);
}

/// Counts characters; a UTF-8 sequence counts as one.
std::size_t characters_before(std::string_view text, std::size_t at) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                                                [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The largest product of the bounds of nested repeats.
std::uint64_t nested_times(const RegexNode& node) {
  std::uint64_t times = 1;
  for (const RegexNode& part : node.parts) times = std::max(times, nested_times(part));
  if (node.kind != RegexKind::repeat) return times;
  const std::uint32_t bound = node.most == RegexNode::kUnbounded ? node.least : node.most;
  return times * std::max<std::uint32_t>(bound, 1);
}

}  // namespace

tl::expected<RegexNode, RegexRefusal> RegexParser::parse() {
  leading_flags();
  RegexNode root = choice();
  if (!text_.done()) text_.refuse(text_.at, "unbalanced parenthesis");
  if (!text_.refusal) return root;
  return tl::unexpected(
      RegexRefusal{characters_before(text_.all, text_.refusal->position), text_.refusal->reason});
}

void RegexParser::leading_flags() {
  while (text_.all.substr(text_.at).starts_with("(?")) {
    const std::size_t from = text_.at;
    text_.at += 2;
    RegexFlags flags = text_.flags;
    if (read_flags(flags) && text_.take(")")) {
      text_.flags = flags;
      continue;
    }
    if (!text_.refusal) text_.at = from;
    return;
  }
}

/// Parses flag letters; false: there are none, or one was refused.
bool RegexParser::read_flags(RegexFlags& flags) {
  const std::size_t from = text_.at;
  bool on = true;
  for (; !text_.done(); ++text_.at) {
    const char c = text_.peek();
    if (c == '-' && on) {
      on = false;
    } else if (c == 'i') {
      flags.ignore_case = on;
    } else if (c == 'x') {
      flags.verbose = on;
    } else if (c == 'L') {
      text_.refuse(text_.at, "the flag L: what it means depends on the machine's language");
    } else if (c != 'a' && c != 'm' && c != 's' && c != 'u') {
      break;
    }
  }
  return !text_.refusal && text_.at > from;
}

RegexNode RegexParser::choice() {
  if (++depth_ > kMaxRegexDepth) return text_.refuse(text_.at, "groups within groups too deep");
  std::vector<RegexNode> branches;
  branches.push_back(sequence());
  while (text_.take("|")) branches.push_back(sequence());
  --depth_;
  return branches.size() == 1 ? std::move(branches[0]) : node_of(RegexKind::choice, std::move(branches));
}

RegexNode RegexParser::sequence() {
  std::vector<RegexNode> parts;
  for (;;) {
    if (text_.flags.verbose) skip_verbose();
    if (text_.done() || text_.peek() == '|' || text_.peek() == ')') break;
    const std::size_t at = text_.at;
    bool repeatable = true;
    RegexNode part = item(repeatable);
    parts.push_back(repeated(std::move(part), at, repeatable));
  }
  return node_of(RegexKind::sequence, std::move(parts));
}

void RegexParser::skip_verbose() {
  while (!text_.done()) {
    if (text_.peek() == '#') {
      text_.at = std::min(text_.all.find('\n', text_.at), text_.all.size());
    } else if (std::string_view(" \t\n\r\f\v").find(text_.peek()) != std::string_view::npos) {
      ++text_.at;
    } else {
      return;
    }
  }
}

/// Parses {m}, {m,}, {,n}, {m,n}; false: the brace is a literal.
bool RegexParser::times(std::uint32_t& least, std::uint32_t& most) {
  const std::size_t from = text_.at;
  const auto number = [this](std::uint32_t& value) {
    const char* begin = text_.all.data() + text_.at;
    const auto parsed = std::from_chars(begin, text_.all.data() + text_.all.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) value = RegexNode::kUnbounded - 1;
    text_.at += static_cast<std::size_t>(parsed.ptr - begin);
    return parsed.ptr != begin;
  };
  ++text_.at;
  least = 0;
  const bool low = number(least);
  const bool comma = text_.take(",");
  most = comma ? RegexNode::kUnbounded : least;
  const bool high = comma && number(most);
  if (text_.take("}") && (low || high || comma)) return true;
  text_.at = from;
  return false;
}

/// One item of a sequence, without its repeat.
RegexNode RegexParser::item(bool& repeatable) {
  const std::size_t at = text_.at;
  const std::uint32_t character = text_.next_character();
  switch (character) {
    case '(':
      repeatable = !text_.all.substr(at).starts_with("(?#");
      return group(at);
    case '[':
      return atoms_.character_class(at);
    case '.':
      return atoms_.of_set(any_byte());
    case '*':
    case '+':
    case '?':
      return text_.refuse(at, "nothing to repeat");
    case '^':
      repeatable = false;
      return node_of(RegexKind::line_begin, {});
    case '$':
      repeatable = false;
      return node_of(RegexKind::line_end, {});
    case '\\': {
      const RegexAtoms::Atom atom = atoms_.escape(false);
      if (text_.refusal) return {};
      repeatable = !atom.assertion;
      if (atom.assertion) return node_of(*atom.assertion, {});
      return atom.character ? atoms_.literal(*atom.character, at) : atoms_.of_set(atom.set & any_byte());
    }
    default:
      return atoms_.literal(character, at);
  }
}

RegexNode RegexParser::repeated(RegexNode item, std::size_t at, bool repeatable) {
  if (text_.flags.verbose) skip_verbose();
  if (text_.done()) return item;
  const std::size_t mark = text_.at;
  std::uint32_t least = 0, most = RegexNode::kUnbounded;
  const char c = text_.peek();
  if (c == '{') {
    if (!times(least, most)) return item;
  } else if (c == '*' || c == '+' || c == '?') {
    least = c == '+' ? 1 : 0;
    most = c == '?' ? 1 : RegexNode::kUnbounded;
    ++text_.at;
  } else {
    return item;
  }
  if (!repeatable) return text_.refuse(mark, "nothing to repeat");
  if (most < least) return text_.refuse(mark, "a repeat whose least is more than its most");
  RegexNode node = node_of(RegexKind::repeat, {});
  node.lazy = text_.take("?");
  if (!node.lazy && text_.peek() == '+') return text_.refuse(mark, "a possessive repeat");
  const bool again = text_.peek() == '*' || text_.peek() == '+' || text_.peek() == '?';
  std::uint32_t ignored = 0;
  if (again || (text_.peek() == '{' && times(ignored, ignored)))
    return text_.refuse(mark, "a repeat of a repeat");
  node.least = least;
  node.most = most;
  node.parts.push_back(std::move(item));
  if (nested_times(node) > kMaxRegexRepeat || expanded_size(node) > kMaxRegexSize) {
    return text_.refuse(at, "repeats that come to more than " + std::to_string(kMaxRegexRepeat) + " times");
  }
  return node;
}

RegexNode RegexParser::group(std::size_t at) {
  if (!text_.take("?")) return capture({});
  if (text_.take("P<")) return capture(group_name(at));
  if (text_.take(":")) return bracketed();
  return extension(at);
}

RegexNode RegexParser::capture(std::string name) {
  const std::size_t at = text_.at;
  if (++captures_ > kMaxRegexCaptures) return text_.refuse(at, "too many groups");
  RegexNode node = node_of(RegexKind::capture, {});
  node.name = std::move(name);
  node.parts.push_back(bracketed());
  return node;
}

/// Parses up to the closing parenthesis; flags set inside end there.
RegexNode RegexParser::bracketed() {
  const RegexFlags outer = text_.flags;
  const std::size_t at = text_.at;
  RegexNode inner = choice();
  if (!text_.take(")")) text_.refuse(at, "missing ), unterminated group");
  text_.flags = outer;
  return inner;
}

std::string RegexParser::group_name(std::size_t at) {
  const std::size_t end = text_.all.find('>', text_.at);
  std::string name(text_.all.substr(text_.at, end == std::string_view::npos ? end : end - text_.at));
  if (end == std::string_view::npos || !is_identifier(name)) {
    text_.refuse(at, "a group's name that is none");
    return {};
  }
  if (std::ranges::find(names_, name) != names_.end()) text_.refuse(at, "two groups named " + name);
  names_.push_back(name);
  text_.at = end + 1;
  return name;
}

void RegexParser::skip_comment(std::size_t at) {
  const std::size_t end = text_.all.find(')', text_.at);
  if (end == std::string_view::npos) {
    text_.refuse(at, "missing ), unterminated comment");
  } else {
    text_.at = end + 1;
  }
}

RegexNode RegexParser::extension(std::size_t at) {
  if (text_.take("=") || text_.take("!")) return text_.refuse(at, "a lookahead");
  if (text_.take("<=") || text_.take("<!")) return text_.refuse(at, "a lookbehind");
  if (text_.take("P=")) return text_.refuse(at, "a backreference");
  if (text_.take("(")) return text_.refuse(at, "a conditional");
  if (text_.take(">")) return text_.refuse(at, "an atomic group");
  if (text_.take("#")) {
    skip_comment(at);
    return {};
  }
  RegexFlags inside = text_.flags;
  if (!read_flags(inside)) return text_.refuse(at, "an unknown extension after (?");
  if (text_.peek() == ')') return text_.refuse(at, "flags that are not at the beginning");
  if (!text_.take(":")) return text_.refuse(at, "an unknown flag");
  const RegexFlags outer = std::exchange(text_.flags, inside);
  RegexNode inner = bracketed();
  text_.flags = outer;
  return inner;
}

}  // namespace luzia
