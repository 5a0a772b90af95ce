#include "engine/device/pairing.h"

#include <algorithm>

namespace luzia {
namespace {

/// Crockford base32: no i, l, o, u.
constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kCodeLength = 8, kHalf = 4;

/// As typed by a person: what looks alike counts as the same.
std::string normalized(std::string_view typed) {
  std::string code;
  for (char c : typed) {
    if (c == '-' || c == ' ') continue;
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == 'O') c = '0';
    if (c == 'I' || c == 'L') c = '1';
    code += c;
    if (code.size() > kCodeLength) break;
  }
  return code;
}

std::string code_of(std::string_view random) {
  std::uint64_t bits = 0;
  for (const char byte : random.substr(0, PairingOffers::kCodeBytes))
    bits = bits << 8U | static_cast<unsigned char>(byte);
  std::string code(kCodeLength, '0');
  for (std::size_t i = kCodeLength; i-- > 0; bits >>= 5U) code[i] = kAlphabet[bits & 31U];
  return code;
}

}  // namespace

std::string PairingOffers::offer(PairingOffer offer, std::string_view random, TimeUs now) {
  std::erase_if(open_, [now](const Open& each) { return each.until <= now; });
  if (open_.size() >= kMost) open_.erase(open_.begin());
  const std::string code = code_of(random), begin = code.substr(0, kHalf);
  open_.push_back({std::move(offer), begin, secret_hash(code), now + kValid, 0});
  return begin + "-" + code.substr(kHalf);
}

Result<PairingOffer> PairingOffers::redeem(std::string_view code, TimeUs now) {
  std::erase_if(open_, [now](const Open& each) { return each.until <= now; });
  const std::string typed = normalized(code);
  const Hash hash = secret_hash(typed);
  if (const auto it = std::ranges::find(open_, hash, &Open::code); it != open_.end()) {
    PairingOffer offer = std::move(it->offer);
    open_.erase(it);
    return offer;
  }
  std::erase_if(open_, [begin = typed.substr(0, kHalf)](Open& each) {
    return each.begin == begin && ++each.wrong >= kMostWrong;
  });
  return fail(ErrorKind::refused, "wrong_code",
              "the code is wrong, was used, is over five minutes old, or was mistyped five times",
              "ask for a new one: luzia web pair");
}

}  // namespace luzia
