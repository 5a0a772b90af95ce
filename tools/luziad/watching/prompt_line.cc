#include "tools/luziad/watching/prompt_line.h"

#include <algorithm>
#include <array>
#include <string>

namespace luzia {
namespace {

constexpr std::size_t kLongestPrompt = 512;

/// In lower case, without trailing blanks.
std::string normal(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
    line.remove_suffix(1);
  if (line.size() > kLongestPrompt) return {};
  std::string text(line);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

bool ends_with_choice(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kChoices = {"y/n", "yes/no", "y/n/q",
                                                               "yes/no/[fingerprint]", "y/n/a"};
  while (!text.empty() && (text.back() == '?' || text.back() == ':' || text.back() == ' '))
    text.remove_suffix(1);
  if (text.empty() || (text.back() != ']' && text.back() != ')')) return false;
  return std::any_of(kChoices.begin(), kChoices.end(), [text](std::string_view choice) {
    const std::size_t open = text.size() - 1 - std::min(text.size() - 1, choice.size() + 1);
    return text.substr(open + 1, choice.size()) == choice && open + choice.size() + 2 == text.size() &&
           (text[open] == '[' || text[open] == '(');
  });
}

/// "[sudo] password for ann:", "enter passphrase for key '...':": the word is near the end.
bool asks_for_secret(std::string_view text) {
  if (!text.ends_with(':')) return false;
  for (const std::string_view word :
       {"password", "passphrase", "username", "verification code", "one-time code"}) {
    const std::size_t at = text.rfind(word);
    if (at == std::string_view::npos) continue;
    const std::string_view after = text.substr(at + word.size());
    if (after == ":" || after.starts_with(" for ")) return true;
  }
  return false;
}

bool asks_for_key(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kKeys = {"press any key", "press enter", "press return",
                                                            "hit any key",   "hit enter",   "press [enter]"};
  return std::any_of(kKeys.begin(), kKeys.end(), [text](std::string_view key) {
    const std::size_t at = text.rfind(key);
    return at != std::string_view::npos && text.size() - at <= key.size() + 24;
  });
}

}  // namespace

bool looks_like_prompt(std::string_view line) {
  const std::string text = normal(line);
  return ends_with_choice(text) || asks_for_secret(text) || asks_for_key(text);
}

}  // namespace luzia
