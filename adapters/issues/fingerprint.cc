#include "adapters/issues/fingerprint.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/hash.h"

namespace luzia {
namespace {

constexpr std::size_t kLeastHexDigits = 7;  // the length of an abbreviated commit id

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_of_text(char c) {
  return is_letter(c) || static_cast<std::uint8_t>(c) >= 0x80;
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
/// A character of a file name or number; `:` and quotes end a word.
bool is_word(char c) {
  return is_digit(c) || is_of_text(c) || c == '_' || c == '-' || c == '.' || c == '+' || c == '~' ||
         c == '@' || c == '%' || c == '#';
}

/// A UUID or long hexadecimal word: decimal digits, letters a to f and hyphens, with at least one decimal
/// digit.
bool is_hex_word(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) return true;
  const auto digits = std::ranges::count_if(word, is_hex);
  const bool all = std::ranges::all_of(word, [](char c) { return is_hex(c) || c == '-'; });
  return all && static_cast<std::size_t>(digits) >= kLeastHexDigits && std::ranges::any_of(word, is_digit) &&
         std::ranges::any_of(word, is_of_text);
}

/// Replaces each number in a word, with the signs that join its parts ("12:30:01.5", "1.2.3",
/// "2026-11-22T10"), by one 0.
void append_word(std::string_view word, std::string& out) {
  const std::string_view bare = word.substr(0, word.find_last_not_of('.') + 1);  // may end a sentence
  if (is_hex_word(bare)) {
    out += "<hex>";
    out += word.substr(bare.size());
    return;
  }
  for (std::size_t at = 0; at < word.size();) {
    if (!is_digit(word[at])) {
      out += word[at++];
      continue;
    }
    out += '0';
    while (at < word.size() && is_digit(word[at])) {
      while (at < word.size() && is_digit(word[at])) ++at;
      const bool joined =
          at + 1 < word.size() && (word[at] == '.' || word[at] == '-') && is_digit(word[at + 1]);
      if (joined) ++at;
    }
  }
}

bool is_temporary(std::string_view path) {
  return path.starts_with("/tmp/") || path.starts_with("/var/tmp/") || path.starts_with("/var/folders/") ||
         path.starts_with("/dev/shm/");
}

/// A word or a path that `text` begins with.
void append_path(std::string_view path, std::string& out) {
  if (is_temporary(path)) {
    out += "<tmp>";
    return;
  }
  const std::size_t slash = path.find_last_of('/', path.size() >= 2 ? path.size() - 2 : 0);
  append_word(slash == std::string_view::npos ? path : path.substr(slash + 1), out);
}

}  // namespace

std::string normalised_line(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      while (at < line.size() && is_space(line[at])) ++at;
      if (!out.empty() && at < line.size()) out += ' ';
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && (is_word(line[end]) || line[end] == '/')) ++end;
    if (end == at) {
      // Signs between two numbers belong to a time or address: 12:30:01.
      const bool joins =
          line[at] == ':' && out.ends_with('0') && at + 1 < line.size() && is_digit(line[at + 1]);
      if (!joins) out += line[at];
      ++at;
      if (joins) {
        while (at < line.size() && (is_digit(line[at]) || line[at] == '.')) ++at;
      }
      continue;
    }
    append_path(line.substr(at, end - at), out);
    at = end;
  }
  return out;
}

std::string issue_fingerprint(std::string_view pattern, std::string_view line) {
  constexpr std::uint8_t kBetween[] = {0};
  const std::string normalised = normalised_line(line);
  const Hash hash = blake2b({as_bytes(pattern), kBetween, as_bytes(normalised)});
  return to_hex(Bytes(hash).first(16));
}

}  // namespace luzia
