#include "bench/harness/grep_expression.h"

#include <algorithm>
#include <cctype>

#include "engine/base/characters.h"

namespace luzia::bench {
namespace {

constexpr std::string_view kSpecial = ".[]()*+?{}|^$\\";

/// The bracket content for Python's class `letter`; empty: none.
std::string_view class_words(char letter) {
  return letter == 'd' ? "0-9" : letter == 's' ? "[:space:]" : letter == 'w' ? "[:alnum:]_" : "";
}

/// One pass over an expression; every step returns whether grep supports it too.
class GrepWriter {
 public:
  explicit GrepWriter(std::string_view python) : left_(python) {}

  std::optional<std::string> write() {
    while (!left_.empty()) {
      if (!step()) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  char take() {
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }
  bool take(std::string_view text) {
    const bool there = left_.starts_with(text);
    if (there) left_.remove_prefix(text.size());
    return there;
  }

  bool step() {
    const char c = take();
    switch (c) {
      case '\\':
        return escape();
      case '[':
        return brackets();
      case '(':
        return group();
      case '{':
        return bounds();
      case '*':
      case '+':
      case '?':
        out_ += c;
        return after_repeat();
      case '}':
        return false;
      default:
        out_ += c;
        return true;
    }
  }

  bool escape() {
    if (left_.empty()) return false;
    const char c = take();
    const auto lower = static_cast<char>(std::tolower(c));
    if (c == 'b') {
      out_ += "\\b";
    } else if (const std::string_view words = class_words(lower); !words.empty()) {
      out_ += (c == lower ? "[" : "[^") + std::string(words) + "]";
    } else if (kSpecial.find(c) != std::string_view::npos) {
      out_ += {'\\', c};
    } else if (std::isalnum(c)) {
      return false;
    } else {
      out_ += c;  // grep gives \< \> \' and \` meanings of their own
    }
    return true;
  }

  bool group() {
    if (take("?P<")) {
      const std::size_t end = left_.find('>');
      if (end == std::string_view::npos) return false;
      left_.remove_prefix(end + 1);
    } else if (!take("?:") && left_.starts_with("?")) {
      return false;
    }
    out_ += '(';
    return true;
  }

  bool bounds() {
    const std::size_t end = left_.find('}');
    if (end == std::string_view::npos || end == 0 || !is_digit(left_.front())) return false;
    const std::string_view inner = left_.substr(0, end);
    const bool numbers = std::ranges::all_of(inner, [](char c) { return is_digit(c) || c == ','; });
    if (!numbers || std::ranges::count(inner, ',') > 1) return false;
    out_.append("{").append(inner).append("}");
    left_.remove_prefix(end + 1);
    return after_repeat();
  }

  /// Laziness of a repeat affects how much it matches, not whether it matches.
  bool after_repeat() {
    take("?");
    return !left_.starts_with("+");
  }

  /// In grep's brackets a backslash is an ordinary character, and ], ^ and - are literal only in certain
  /// positions.
  bool brackets() {
    const bool negated = take("^");
    std::string body, bracket, dash, caret;
    for (bool first = true; first || !left_.starts_with("]"); first = false) {
      if (left_.empty()) return false;
      char c = take();
      if (c == '\\') {
        if (left_.empty()) return false;
        c = take();
        const std::string_view words = class_words(c);
        if (!words.empty()) {
          body += words;
          continue;
        }
        if (std::isalnum(c)) return false;
      } else if (left_.size() > 1 && left_[0] == '-' && left_[1] != ']') {
        if (left_[1] == '\\') return false;
        body.append(1, c).append(left_.substr(0, 2));
        left_.remove_prefix(2);
        continue;
      }
      (c == ']' ? bracket : c == '-' ? dash : c == '^' ? caret : body) += c;
    }
    left_.remove_prefix(1);
    const bool only_caret = !negated && bracket.empty() && body.empty() && !caret.empty();
    if (only_caret || body.find("[.") != std::string::npos || body.find("[=") != std::string::npos)
      return false;
    out_ += (negated ? "[^" : "[") + bracket.substr(0, 1) + body + caret + dash.substr(0, 1) + "]";
    return true;
  }

  std::string_view left_;
  std::string out_;
};

}  // namespace

std::optional<std::string> grep_expression(std::string_view python) {
  const bool plain = std::ranges::all_of(python, [](char c) { return c >= ' ' && c <= '~'; });
  return plain && !python.empty() ? GrepWriter(python).write() : std::nullopt;
}

}  // namespace luzia::bench
