#include "engine/log/seal.h"

#include <sodium.h>

#include <algorithm>
#include <vector>

#include "engine/base/base64url.h"
#include "engine/base/characters.h"
#include "engine/base/percent_encoding.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::string_view kSealWord = "luzia-seal", kSealVersion = "1", kKeyFileHead = "luzia-seal-key 1 ";
constexpr std::string_view kSignatureField = " signature=";

tl::unexpected<Error> no_seal(const std::string& why) {
  return fail(ErrorKind::usage, "bad_seal", "it is not a seal: " + why,
              "an interrupted write leaves such a line; every other one was changed");
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The bytes of pairs of hexadecimal digits.
std::optional<std::string> bytes_of_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

/// What percent_encoded() encoded.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto byte = i + 2 < text.size() ? bytes_of_hex(text.substr(i + 1, 2)) : std::nullopt;
    if (!byte) return std::nullopt;
    plain += *byte;
    i += 2;
  }
  return plain;
}

template <std::size_t kSize>
bool take_bytes(const std::optional<std::string>& bytes, std::array<std::uint8_t, kSize>& into) {
  if (!bytes || bytes->size() != kSize) return false;
  std::ranges::copy(as_bytes(*bytes), into.begin());
  return true;
}

/// The line up to its signature: what is signed.
std::string signed_part(const Seal& seal, const SealPublicKey& key) {
  std::string line(kSealWord);
  line += ' ';
  line += kSealVersion;
  line += " site=" + percent_encoded(seal.store.site);
  line += " store=" + percent_encoded(seal.store.store_id);
  line += " position=" + std::to_string(seal.tip.position);
  line += " chain=" + to_hex(seal.tip.chain);
  line += " time=" + format_rfc3339(seal.time);
  line += " key=" + public_key_text(key);
  return line;
}

std::vector<std::string_view> words_between_blanks(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = line.find(' ');
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

/// The value of "name=value"; empty: it is another field.
std::string_view value_of(std::string_view word, std::string_view name) {
  const bool named = word.starts_with(name) && word.substr(name.size()).starts_with('=');
  return named ? word.substr(name.size() + 1) : std::string_view();
}

}  // namespace

std::string public_key_text(const SealPublicKey& key) {
  return base64url(as_text(key));
}

Result<SealPublicKey> parse_public_key(std::string_view text) {
  SealPublicKey key{};
  if (take_bytes(from_base64url(text), key) && public_key_text(key) == text) return key;
  return fail(ErrorKind::usage, "bad_seal_key", "'" + std::string(text) + "' is not a public key of seals",
              "luzia-query seal --public prints the key of a store: 43 characters");
}

SealKey::SealKey(std::string_view seed) : seed_(seed) {
  static_assert(sizeof(SealPublicKey) == crypto_sign_PUBLICKEYBYTES &&
                sizeof(SignedSeal::signature) == crypto_sign_BYTES &&
                sizeof(secret_) == crypto_sign_SECRETKEYBYTES);
  crypto_sign_seed_keypair(public_.data(), secret_.data(), as_bytes(seed_).data());
}

SealKey SealKey::random() {
  return SealKey(random_bytes(crypto_sign_SEEDBYTES));
}

std::optional<SealKey> SealKey::parse_file(std::string_view text) {
  if (!text.starts_with(kKeyFileHead) || !text.ends_with('\n')) return std::nullopt;
  text.remove_prefix(kKeyFileHead.size());
  text.remove_suffix(1);
  const auto seed = from_base64url(text);
  if (!seed || seed->size() != crypto_sign_SEEDBYTES || base64url(*seed) != text) return std::nullopt;
  return SealKey(*seed);
}

std::string SealKey::file_text() const {
  return std::string(kKeyFileHead) + base64url(seed_) + "\n";
}

std::string SealKey::sign(const Seal& seal) const {
  const std::string line = signed_part(seal, public_);
  std::array<std::uint8_t, 64> signature{};
  crypto_sign_detached(signature.data(), nullptr, as_bytes(line).data(), line.size(), secret_.data());
  return line + std::string(kSignatureField) + base64url(as_text(signature));
}

Result<SignedSeal> parse_seal(std::string_view line) {
  const auto words = words_between_blanks(line);
  if (words.front() != kSealWord) return no_seal("it does not begin with " + std::string(kSealWord));
  if (words.size() > 1 && words[1] != kSealVersion && parse_whole_number<std::uint32_t>(words[1])) {
    return fail(ErrorKind::usage, "seal_format", "a newer program wrote this seal", "update Luzia");
  }
  constexpr std::size_t kWords = 9;
  if (words.size() != kWords) {
    return no_seal("it has " + std::to_string(words.size()) + " words and not " + std::to_string(kWords));
  }
  SignedSeal read;
  const auto site = percent_decoded(value_of(words[2], "site"));
  const auto store = percent_decoded(value_of(words[3], "store"));
  const auto position = parse_whole_number<Position>(value_of(words[4], "position"));
  const auto time = parse_time(value_of(words[6], "time"), 0);
  if (!site || !store || !position || !time) return no_seal("a field is not readable");
  read.seal = {{*site, *store}, {*position, {}}, *time};
  const bool whole = take_bytes(bytes_of_hex(value_of(words[5], "chain")), read.seal.tip.chain) &&
                     take_bytes(from_base64url(value_of(words[7], "key")), read.key) &&
                     take_bytes(from_base64url(value_of(words[8], "signature")), read.signature);
  if (!whole) return no_seal("a field is not readable");
  // One seal has one line: a second spelling of the same fields would not be what was signed.
  const std::string again = signed_part(read.seal, read.key) + std::string(kSignatureField);
  if (again + base64url(as_text(read.signature)) != line) return no_seal("its fields are written otherwise");
  return read;
}

bool is_signed_with(std::string_view line, const SignedSeal& seal, const SealPublicKey& key) {
  const Bytes message = as_bytes(line.substr(0, line.rfind(kSignatureField)));
  return seal.key == key &&
         crypto_sign_verify_detached(seal.signature.data(), message.data(), message.size(), key.data()) == 0;
}

}  // namespace luzia
