// Texts that only the holder of a key can read: XChaCha20-Poly1305 of libsodium under a random nonce. Any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/hash.h"

namespace luzia {

/// `context` must be the same at opening: a text sealed for one purpose is no other's.
std::string sealed_text(const Hash& key, std::string_view context, std::string_view text);
/// Whether bytes have the form of a sealed text, which no text begins like.
bool is_sealed(std::string_view bytes);
/// nullopt: sealed with another key or context, or damaged.
std::optional<std::string> opened_text(const Hash& key, std::string_view context, std::string_view sealed);

}  // namespace luzia
