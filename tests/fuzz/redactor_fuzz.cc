// Secrets in output that is read in pieces, cut anywhere. No byte of a value is ever shown, pieces look like
// the whole, and sizes and line ends stay. Input: two lines with a value each, then the output.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/output_log/redacted_read.h"
#include "engine/base/descriptor.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

std::string take_line(std::string_view& input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  std::string line(input.substr(0, end));
  input.remove_prefix(std::min(end + 1, input.size()));
  return line;
}

/// Whether none of these bytes is shown: they are of a label, asterisks, or line ends.
bool is_hidden(std::string_view shown) {
  return shown.find_first_not_of("[secret AB]*\n\r") == std::string_view::npos;
}

void check_values(const std::vector<SecretValue>& secrets, std::string_view text, std::string_view shown,
                  std::size_t least) {
  require(shown.size() <= text.size(), "sizes stay");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    require((text[i] == '\n') == (shown[i] == '\n') && (text[i] == '\r') == (shown[i] == '\r'),
            "line ends stay");
  }
  for (const SecretValue& secret : secrets) {
    if (secret.value.size() < Redactor::kLeastValue) continue;
    for (std::size_t at = text.find(secret.value); at < shown.size(); at = text.find(secret.value, at + 1)) {
      const std::string_view piece = shown.substr(at, secret.value.size());
      require(piece.size() < least || is_hidden(piece), "a value is not shown");
    }
  }
}

void check_pieces(const Redactor& redactor, std::string_view text, std::string_view whole) {
  const Descriptor file(::memfd_create("output", MFD_CLOEXEC));
  require(file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "the output is written");
  std::string piece;
  for (std::size_t from = 0, size = 1; from < text.size(); from += size / 2 + 1, size = size * 2 % 61 + 1) {
    piece.assign(size, '\0');
    const ssize_t got = read_redacted(&redactor, file.get(), from, std::span(piece), false);
    require(got == static_cast<ssize_t>(std::min(size, text.size() - from)), "a piece is whole");
    require(whole.substr(from, size) == std::string_view(piece).substr(0, static_cast<std::size_t>(got)),
            "a piece looks like the whole");
  }
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  std::string_view text(input);
  const std::string first = take_line(text), second = take_line(text);
  const std::vector<SecretValue> secrets = {{"A", first}, {"B", second}};
  const Redactor redactor(secrets);
  const std::string whole = redactor.blacked_out(std::string(text));
  require(whole.size() == text.size(), "sizes stay");
  check_values(secrets, text, whole, Redactor::kLeastValue);
  check_pieces(redactor, text, whole);
  // What has been written so far may end within a value.
  for (std::size_t cut = 0; cut < text.size(); cut += cut / 8 + 1) {
    std::string shown(text.substr(0, cut));
    redactor.black_out(std::span(shown), true);
    check_values(secrets, text, shown, Redactor::kLeastBeginning);
  }
}
