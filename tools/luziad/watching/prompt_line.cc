#include "tools/luziad/watching/prompt_line.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/base/lower_case.h"

namespace luzia {
namespace {

constexpr std::size_t kLongestPrompt = 512;

/// In lower case, without trailing blanks.
std::string normal(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  return line.size() > kLongestPrompt ? std::string() : lower_case(line);
}

/// "continue? [y/n]", "(yes/no)? ": the line ends with a choice in brackets.
bool ends_with_choice(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kChoices = {"y/n", "yes/no", "y/n/q",
                                                               "yes/no/[fingerprint]", "y/n/a"};
  text = text.substr(0, text.find_last_not_of("?: ") + 1);
  if (!text.ends_with(']') && !text.ends_with(')')) return false;
  text.remove_suffix(1);
  return std::ranges::any_of(kChoices, [text](std::string_view choice) {
    if (!text.ends_with(choice)) return false;
    const std::string_view before = text.substr(0, text.size() - choice.size());
    return before.ends_with('[') || before.ends_with('(');
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
