#include "engine/base/sealed_text.h"

#include <sodium.h>

namespace luzia {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSealMark = "\x01sealed1\n"sv;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kProofBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(sizeof(Hash) == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

unsigned char* writable_bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string sealed_text(const Hash& key, std::string_view context, std::string_view text) {
  const std::string nonce = random_bytes(kNonceBytes);
  std::string cipher(text.size() + kProofBytes, '\0');
  crypto_aead_xchacha20poly1305_ietf_encrypt(writable_bytes(cipher), nullptr, as_bytes(text).data(),
                                             text.size(), as_bytes(context).data(), context.size(), nullptr,
                                             as_bytes(nonce).data(), key.data());
  return std::string(kSealMark).append(nonce).append(cipher);
}

bool is_sealed(std::string_view bytes) {
  return bytes.starts_with(kSealMark);
}

std::optional<std::string> opened_text(const Hash& key, std::string_view context, std::string_view sealed) {
  if (!is_sealed(sealed) || sealed.size() < kSealMark.size() + kNonceBytes + kProofBytes) return std::nullopt;
  sealed.remove_prefix(kSealMark.size());
  const Bytes nonce = as_bytes(sealed.substr(0, kNonceBytes)), cipher = as_bytes(sealed.substr(kNonceBytes));
  std::string text(cipher.size() - kProofBytes, '\0');
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      writable_bytes(text), nullptr, nullptr, cipher.data(), cipher.size(), as_bytes(context).data(),
      context.size(), nonce.data(), key.data());
  return failed == 0 ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace luzia
