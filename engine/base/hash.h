// BLAKE2b-256 (libsodium) for the hash chain and blobs, and a fast 64-bit checksum for checkpoints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace luzia {

using Hash = std::array<std::uint8_t, 32>;
using Bytes = std::span<const std::uint8_t>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Hash of all parts, concatenated.
Hash blake2b(std::initializer_list<Bytes> parts);

/// Lowercase hexadecimal.
std::string to_hex(Bytes bytes);

/// FNV-1a, 64 bits. Detects accidental changes; no protection against deliberate ones.
constexpr std::uint64_t checksum64(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint8_t byte : bytes) {
    hash = (hash ^ byte) * 0x100000001b3ULL;
  }
  return hash;
}

/// `count` bytes from the kernel's random source. Not for deciders or projections, which must be
/// deterministic.
std::string random_bytes(std::size_t count);

}  // namespace luzia
