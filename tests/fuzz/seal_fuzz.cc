// Lines of a file of seals, and a file with a key. A line that is read is the only spelling of its seal, and
// no line is signed with a key that nobody used. A key that is read writes the same file.
#include <string>

#include "engine/log/seal.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

void check_line(std::string_view line) {
  const auto read = parse_seal(line);
  if (!read) {
    require(!read.error().code.empty() && read.error().message.find('\n') == std::string::npos,
            "a refusal is one line with a code");
    return;
  }
  require(line.find('\n') == std::string_view::npos, "a seal is one line");
  static const SealKey key = SealKey::random();
  require(!is_signed_with(line, *read, key.public_key()), "nobody signs for another");
  const std::string again = key.sign(read->seal);
  const auto read_again = parse_seal(again);
  require(read_again && read_again->seal == read->seal, "a seal reads back");
  require(is_signed_with(again, *read_again, key.public_key()), "and its signature holds");
}

void check_key(std::string_view text) {
  const auto key = SealKey::parse_file(text);
  require(!key || key->file_text() == text, "a key has one file");
  const auto public_key = parse_public_key(text);
  require(!public_key || public_key_text(*public_key) == text, "a public key has one spelling");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view text) {
  check_line(text);
  check_key(text);
}
