// luzia-qr: draws the text on standard input as a QR code of half blocks, dark on light on any background.
// The text comes by standard input because others can read the words of a process. Exit code 1: it does not
// fit.
#include <qrencode.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

namespace {

constexpr int kQuiet = 2;  // light modules around it
constexpr const char* kColours = "\033[30;107m";
constexpr const char* kReset = "\033[0m\n";

std::string drawn(const QRcode& code) {
  const auto is_dark = [&code](int row, int column) {
    const bool inside = row >= 0 && column >= 0 && row < code.width && column < code.width;
    return inside && (code.data[row * code.width + column] & 1U) != 0;
  };
  std::string out;
  for (int row = -kQuiet; row < code.width + kQuiet; row += 2) {
    out += kColours;
    for (int column = -kQuiet; column < code.width + kQuiet; ++column) {
      const bool upper = is_dark(row, column), lower = is_dark(row + 1, column);
      out += upper && lower ? "█" : upper ? "▀" : lower ? "▄" : " ";
    }
    out += kReset;
  }
  return out;
}

}  // namespace

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const std::unique_ptr<QRcode, void (*)(QRcode*)> code(
      QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_L), QRcode_free);
  if (text.empty() || !code) return 1;
  const std::string picture = drawn(*code);
  return std::fwrite(picture.data(), 1, picture.size(), stdout) == picture.size() ? 0 : 1;
}
