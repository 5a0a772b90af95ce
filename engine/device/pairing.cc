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

Status PairingOffers::may_pair(TimeUs now) const {
  if (now >= rests_until_) return {};
  return fail(ErrorKind::refused, "pairing_rests",
              std::to_string(kMostGuesses) + " wrong codes were tried: nothing is paired for a minute",
              "wait, then offer anew: luzia web pair");
}

Result<std::string> PairingOffers::offer(PairingOffer offer, std::string_view random, TimeUs now) {
  LUZIA_TRY(may_pair(now));
  std::erase_if(open_, [now](const Open& each) { return each.until <= now; });
  if (open_.size() >= kMost) {
    return fail(ErrorKind::refused, "too_many_offers",
                std::to_string(kMost) + " codes wait for a device already",
                "use one of them, or wait five minutes");
  }
  const std::string code = code_of(random);
  open_.push_back({std::move(offer), secret_hash(code), now + kValid});
  return code.substr(0, kHalf) + "-" + code.substr(kHalf);
}

Result<PairingOffer> PairingOffers::redeem(std::string_view code, TimeUs now) {
  LUZIA_TRY(may_pair(now));
  std::erase_if(open_, [now](const Open& each) { return each.until <= now; });
  const Hash hash = secret_hash(normalized(code));
  if (const auto it = std::ranges::find(open_, hash, &Open::code); it != open_.end()) {
    PairingOffer offer = std::move(it->offer);
    open_.erase(it);
    return offer;
  }
  std::erase_if(guesses_, [now](TimeUs guess) { return guess + kGuessesCount <= now; });
  guesses_.push_back(now);
  if (guesses_.size() >= kMostGuesses) {
    open_.clear();
    guesses_.clear();
    rests_until_ = now + kRest;
  }
  return fail(ErrorKind::refused, "wrong_code", "the code is wrong, was used, or is over five minutes old",
              "ask for a new one: luzia web pair");
}

}  // namespace luzia
