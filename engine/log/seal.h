// A seal: one line of text that signs how far a log went at a time, and its chain hash there. Kept elsewhere,
// seals find a log that was rewritten as a whole, which the chain alone cannot. LOG_FORMAT.md shows the line.
// Pure but for SealKey::random(); any thread.
//
// Rejected: an event for each seal. Who rewrites the log would drop it; only what lies elsewhere is a
// witness.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "engine/log/group.h"
#include "engine/log/store_identity.h"

namespace luzia {

struct Seal {
  StoreIdentity store;
  Tip tip;  // the last position of a group, and the chain hash after it
  TimeUs time = 0;
  bool operator==(const Seal&) const = default;
};

/// The public half of a key: Ed25519.
using SealPublicKey = std::array<std::uint8_t, 32>;
/// 43 characters of base64url.
std::string public_key_text(const SealPublicKey& key);
/// `bad_seal_key` (usage): it is none.
Result<SealPublicKey> parse_public_key(std::string_view text);

/// The secret half, which signs.
class SealKey {
 public:
  static SealKey random();
  /// The content of a key file, one line, as file_text() gives it. nullopt: it is none.
  static std::optional<SealKey> parse_file(std::string_view text);
  std::string file_text() const;

  const SealPublicKey& public_key() const { return public_; }
  /// The line of the seal, without a line break.
  std::string sign(const Seal& seal) const;

 private:
  explicit SealKey(std::string_view seed);
  std::string seed_;
  std::array<std::uint8_t, 64> secret_{};
  SealPublicKey public_{};
};

/// A line that was read back. Only open_seal() says whether its signature holds.
struct SignedSeal {
  Seal seal;
  SealPublicKey key{};                       // with which it says that it was signed
  std::array<std::uint8_t, 64> signature{};  // of the line up to it
};

/// Reads a line exactly as sign() writes it. `bad_seal` (usage): it is no seal; `seal_format` (usage): a
/// newer program wrote it.
Result<SignedSeal> parse_seal(std::string_view line);

/// Whether `line`, which parse_seal() read, is signed with this key.
bool is_signed_with(std::string_view line, const SignedSeal& seal, const SealPublicKey& key);

}  // namespace luzia
