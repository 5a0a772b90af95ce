#include "adapters/issues/regex_tree.h"

#include <algorithm>

#include "engine/base/characters.h"

namespace luzia {
namespace {

constexpr std::uint64_t kHuge = UINT32_MAX;

class Printer {
 public:
  explicit Printer(bool confirming) : confirming_(confirming) {}

  void print(const RegexNode& node) {
    switch (node.kind) {
      case RegexKind::bytes:
        return print_set(node.set);
      case RegexKind::sequence:
        for (const RegexNode& part : node.parts) print_part(part, part.kind == RegexKind::choice);
        return;
      case RegexKind::choice:
        for (std::size_t i = 0; i < node.parts.size(); ++i) {
          if (i > 0) text_ += '|';
          print(node.parts[i]);
        }
        return;
      case RegexKind::repeat:
        if (node.most == 0 && !confirming_) return;  // Vectorscan has no {0}
        print_part(node.parts[0], node.parts[0].kind != RegexKind::bytes);
        return print_times(node);
      case RegexKind::capture:
        return print_capture(node);
      case RegexKind::line_begin:
        text_ += '^';
        return;
      case RegexKind::line_end:
        text_ += confirming_ ? "\\z" : "(?:\\r?$)";
        return;
      case RegexKind::word_edge:
        text_ += "\\b";
        return;
      case RegexKind::no_word_edge:
        text_ += "\\B";
        return;
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void print_part(const RegexNode& node, bool bracketed) {
    if (bracketed) text_ += "(?:";
    print(node);
    if (bracketed) text_ += ')';
  }

  void print_capture(const RegexNode& node) {
    text_ += !confirming_ ? "(?:" : node.name.empty() ? "(" : "(?P<" + node.name + ">";
    print(node.parts[0]);
    text_ += ')';
  }

  void print_times(const RegexNode& node) {
    const bool unbounded = node.most == RegexNode::kUnbounded;
    if (node.least == 1 && node.most == 1) return;
    if (unbounded && node.least <= 1) {
      text_ += node.least == 0 ? '*' : '+';
    } else if (node.least == 0 && node.most == 1) {
      text_ += '?';
    } else {
      text_ += '{' + std::to_string(node.least);
      if (unbounded) {
        text_ += ',';
      } else if (node.most != node.least) {
        text_ += ',' + std::to_string(node.most);
      }
      text_ += '}';
    }
    if (node.lazy && confirming_) text_ += '?';
  }

  void print_byte(std::size_t byte) {
    constexpr char kDigits[] = "0123456789abcdef";
    const char c = static_cast<char>(byte);
    if (is_letter_or_digit(c) || std::string_view("_ :,/'\"=").find(c) != std::string_view::npos) {
      text_ += c;
    } else {
      text_ += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }

  void print_set(const ByteSet& set) {
    const bool single = set.count() == 1;
    if (!single) text_ += '[';
    for (std::size_t byte = 0; byte < set.size(); ++byte) {
      if (!set[byte]) continue;
      const std::size_t from = byte;
      while (byte + 1 < set.size() && set[byte + 1]) ++byte;
      print_byte(from);
      if (byte > from + 1) text_ += '-';
      if (byte > from) print_byte(byte);
    }
    if (!single) text_ += ']';
  }

  bool confirming_;
  std::string text_;
};

}  // namespace

ByteSet any_byte() {
  ByteSet set;
  set.set();
  set.reset('\n');
  return set;
}

std::uint64_t shortest_match(const RegexNode& node) {
  std::uint64_t bytes = node.kind == RegexKind::bytes ? 1 : 0;
  if (node.kind == RegexKind::choice) bytes = kHuge;
  for (const RegexNode& part : node.parts) {
    const std::uint64_t more = shortest_match(part);
    bytes = node.kind == RegexKind::choice ? std::min(bytes, more) : std::min(kHuge, bytes + more);
  }
  return node.kind == RegexKind::repeat ? std::min(kHuge, bytes * node.least) : bytes;
}

std::uint64_t expanded_size(const RegexNode& node) {
  std::uint64_t size = 1;
  for (const RegexNode& part : node.parts) size = std::min(kHuge, size + expanded_size(part));
  if (node.kind != RegexKind::repeat) return size;
  const std::uint64_t times = node.most == RegexNode::kUnbounded ? node.least : node.most;
  return std::min(kHuge, size * std::max<std::uint64_t>(times, 1));
}

std::string print_confirming(const RegexNode& node) {
  Printer printer(true);
  printer.print(node);
  return printer.take();
}

std::string print_for_blocks(const RegexNode& node) {
  Printer printer(false);
  printer.print(node);
  return printer.take();
}

}  // namespace luzia
