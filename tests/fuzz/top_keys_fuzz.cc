// The parser of terminal input consumes everything: keys are whole characters, buffered bytes are bounded,
// and bytes in pieces mean the same as bytes at once.
#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/look/top/keys.h"

namespace {

std::string spelled(const std::vector<luzia::Key>& keys) {
  std::string all;
  for (const luzia::Key& key : keys) {
    luzia::require((key.code == luzia::KeyCode::text) == !key.text.empty(),
                   "a text has a character, no other key has");
    luzia::require(key.text.size() <= 4, "one character");
    all += static_cast<char>('A' + static_cast<int>(key.code)) + key.text + ' ';
  }
  return all;
}

}  // namespace

void luzia::fuzz(std::string_view input) {
  KeyReader whole, pieces;
  const std::string at_once = spelled(whole.feed(input));
  std::string one_by_one;
  for (const char byte : input) one_by_one += spelled(pieces.feed(std::string_view(&byte, 1)));
  require(at_once == one_by_one, "pieces mean the same");
  require(whole.is_waiting() == pieces.is_waiting(), "and wait for the same");
  spelled(whole.finish());
  require(!whole.is_waiting(), "nothing is kept at the end");
}
