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
  if (!done()) refuse(at_, "unbalanced parenthesis");
  if (!refusal_) return root;
  return tl::unexpected(RegexRefusal{characters_before(text_, refusal_->position), refusal_->reason});
}

RegexNode RegexParser::refuse(std::size_t at, std::string reason) {
  if (!refusal_) refusal_ = RegexRefusal{std::min(at, text_.size()), std::move(reason)};
  return {};
}

bool RegexParser::take(std::string_view expected) {
  if (refusal_ || !text_.substr(at_).starts_with(expected)) return false;
  at_ += expected.size();
  return true;
}

void RegexParser::leading_flags() {
  while (text_.substr(at_).starts_with("(?")) {
    const std::size_t from = at_;
    at_ += 2;
    Flags flags = flags_;
    if (read_flags(flags) && take(")")) {
      flags_ = flags;
      continue;
    }
    if (!refusal_) at_ = from;
    return;
  }
}

/// Parses flag letters; false: there are none, or one was refused.
bool RegexParser::read_flags(Flags& flags) {
  const std::size_t from = at_;
  bool on = true;
  for (; !done(); ++at_) {
    const char c = peek();
    if (c == '-' && on) {
      on = false;
    } else if (c == 'i') {
      flags.ignore_case = on;
    } else if (c == 'x') {
      flags.verbose = on;
    } else if (c == 'L') {
      refuse(at_, "the flag L: what it means depends on the machine's language");
    } else if (c != 'a' && c != 'm' && c != 's' && c != 'u') {
      break;
    }
  }
  return !refusal_ && at_ > from;
}

RegexNode RegexParser::choice() {
  if (++depth_ > kMaxRegexDepth) return refuse(at_, "groups within groups too deep");
  std::vector<RegexNode> branches;
  branches.push_back(sequence());
  while (take("|")) branches.push_back(sequence());
  --depth_;
  return branches.size() == 1 ? std::move(branches[0]) : node_of(RegexKind::choice, std::move(branches));
}

RegexNode RegexParser::sequence() {
  std::vector<RegexNode> parts;
  for (;;) {
    if (flags_.verbose) skip_verbose();
    if (done() || peek() == '|' || peek() == ')') break;
    const std::size_t at = at_;
    bool repeatable = true;
    RegexNode part = item(repeatable);
    parts.push_back(repeated(std::move(part), at, repeatable));
  }
  return node_of(RegexKind::sequence, std::move(parts));
}

void RegexParser::skip_verbose() {
  while (!done()) {
    if (peek() == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (std::string_view(" \t\n\r\f\v").find(peek()) != std::string_view::npos) {
      ++at_;
    } else {
      return;
    }
  }
}

/// Parses {m}, {m,}, {,n}, {m,n}; false: the brace is a literal.
bool RegexParser::times(std::uint32_t& least, std::uint32_t& most) {
  const std::size_t from = at_;
  const auto number = [this](std::uint32_t& value) {
    const char* begin = text_.data() + at_;
    const auto parsed = std::from_chars(begin, text_.data() + text_.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) value = RegexNode::kUnbounded - 1;
    at_ += static_cast<std::size_t>(parsed.ptr - begin);
    return parsed.ptr != begin;
  };
  ++at_;
  least = 0;
  const bool low = number(least);
  const bool comma = take(",");
  most = comma ? RegexNode::kUnbounded : least;
  const bool high = comma && number(most);
  if (take("}") && (low || high || comma)) return true;
  at_ = from;
  return false;
}

RegexNode RegexParser::repeated(RegexNode item, std::size_t at, bool repeatable) {
  if (flags_.verbose) skip_verbose();
  if (done()) return item;
  const std::size_t mark = at_;
  std::uint32_t least = 0, most = RegexNode::kUnbounded;
  const char c = peek();
  if (c == '{') {
    if (!times(least, most)) return item;
  } else if (c == '*' || c == '+' || c == '?') {
    least = c == '+' ? 1 : 0;
    most = c == '?' ? 1 : RegexNode::kUnbounded;
    ++at_;
  } else {
    return item;
  }
  if (!repeatable) return refuse(mark, "nothing to repeat");
  if (most < least) return refuse(mark, "a repeat whose least is more than its most");
  RegexNode node = node_of(RegexKind::repeat, {});
  node.lazy = take("?");
  if (!node.lazy && peek() == '+') return refuse(mark, "a possessive repeat");
  const bool again = peek() == '*' || peek() == '+' || peek() == '?';
  std::uint32_t ignored = 0;
  if (again || (peek() == '{' && times(ignored, ignored))) return refuse(mark, "a repeat of a repeat");
  node.least = least;
  node.most = most;
  node.parts.push_back(std::move(item));
  if (nested_times(node) > kMaxRegexRepeat || expanded_size(node) > kMaxRegexSize) {
    return refuse(at, "repeats that come to more than " + std::to_string(kMaxRegexRepeat) + " times");
  }
  return node;
}

RegexNode RegexParser::group(std::size_t at) {
  if (!take("?")) return capture({});
  if (take("P<")) return capture(group_name(at));
  if (take(":")) return bracketed();
  return extension(at);
}

RegexNode RegexParser::capture(std::string name) {
  const std::size_t at = at_;
  if (++captures_ > kMaxRegexCaptures) return refuse(at, "too many groups");
  RegexNode node = node_of(RegexKind::capture, {});
  node.name = std::move(name);
  node.parts.push_back(bracketed());
  return node;
}

/// Parses up to the closing parenthesis; flags set inside end there.
RegexNode RegexParser::bracketed() {
  const Flags outer = flags_;
  const std::size_t at = at_;
  RegexNode inner = choice();
  if (!take(")")) refuse(at, "missing ), unterminated group");
  flags_ = outer;
  return inner;
}

std::string RegexParser::group_name(std::size_t at) {
  const std::size_t end = text_.find('>', at_);
  std::string name(text_.substr(at_, end == std::string_view::npos ? end : end - at_));
  if (end == std::string_view::npos || !is_identifier(name)) {
    refuse(at, "a group's name that is none");
    return {};
  }
  if (std::ranges::find(names_, name) != names_.end()) refuse(at, "two groups named " + name);
  names_.push_back(name);
  at_ = end + 1;
  return name;
}

void RegexParser::skip_comment(std::size_t at) {
  const std::size_t end = text_.find(')', at_);
  if (end == std::string_view::npos) {
    refuse(at, "missing ), unterminated comment");
  } else {
    at_ = end + 1;
  }
}

RegexNode RegexParser::extension(std::size_t at) {
  if (take("=") || take("!")) return refuse(at, "a lookahead");
  if (take("<=") || take("<!")) return refuse(at, "a lookbehind");
  if (take("P=")) return refuse(at, "a backreference");
  if (take("(")) return refuse(at, "a conditional");
  if (take(">")) return refuse(at, "an atomic group");
  if (take("#")) {
    skip_comment(at);
    return {};
  }
  Flags inside = flags_;
  if (!read_flags(inside)) return refuse(at, "an unknown extension after (?");
  if (peek() == ')') return refuse(at, "flags that are not at the beginning");
  if (!take(":")) return refuse(at, "an unknown flag");
  const Flags outer = std::exchange(flags_, inside);
  RegexNode inner = bracketed();
  flags_ = outer;
  return inner;
}

}  // namespace luzia
