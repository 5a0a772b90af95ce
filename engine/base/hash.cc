#include "engine/base/hash.h"

#include <sodium.h>

namespace luzia {

Hash blake2b(std::initializer_list<Bytes> parts) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, sizeof(Hash));
  for (Bytes part : parts) crypto_generichash_update(&state, part.data(), part.size());
  Hash hash;
  crypto_generichash_final(&state, hash.data(), hash.size());
  return hash;
}

std::string to_hex(Bytes bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace luzia
