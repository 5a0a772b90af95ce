#include "adapters/web_push/web_push.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>

#include <nlohmann/json.hpp>

#include "engine/base/base64url.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr char kCurve[] = "P-256";
constexpr std::size_t kPointBytes = 65, kHashBytes = 32, kContentKeyBytes = 16, kNonceBytes = 12,
                      kTagBytes = 16;
constexpr std::uint32_t kRecordBytes = 4'096;
/// Marks the last record (RFC 8188).
constexpr char kLastRecord = 2;

/// Frees what libcrypto has made.
template <auto kFree>
struct Freed {
  template <class Made>
  void operator()(Made* made) const {
    kFree(made);
  }
};
template <class Made, auto kFree>
using Own = std::unique_ptr<Made, Freed<kFree>>;
using Number = Own<BIGNUM, BN_clear_free>;
using PairContext = Own<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

tl::unexpected<Error> push_failed(const char* doing) {
  return fail(ErrorKind::trouble, "push_failed", std::string(doing) + " for a push failed");
}

/// With the private number if there is one.
KeyPair imported(std::string_view point, std::string_view number) {
  const Own<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder(OSSL_PARAM_BLD_new());
  const Number secret(number.empty() ? nullptr
                                     : BN_bin2bn(raw(number), static_cast<int>(number.size()), nullptr));
  if (!builder || point.size() != kPointBytes || (!number.empty() && number.size() != kPrivateKeyBytes))
    return {};
  bool set = OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, kCurve, 0) == 1 &&
             OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                              point.size()) == 1;
  if (secret) set = set && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_PRIV_KEY, secret.get()) == 1;
  if (!set) return {};
  const Own<OSSL_PARAM, OSSL_PARAM_free> parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const PairContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  const int selection = secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
  EVP_PKEY* made = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, selection, parameters.get()) != 1)
    return {};
  KeyPair pair(made);
  const PairContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, made, nullptr));
  const bool sound = check && EVP_PKEY_public_check(check.get()) == 1 &&
                     (!secret || EVP_PKEY_pairwise_check(check.get()) == 1);
  return sound ? std::move(pair) : KeyPair();
}

std::string shared_secret(const KeyPair& own, const KeyPair& other) {
  const PairContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, own.get(), nullptr));
  std::size_t size = kHashBytes;
  std::string secret(size, '\0');
  const bool derived = context && EVP_PKEY_derive_init(context.get()) == 1 &&
                       EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1 &&
                       EVP_PKEY_derive(context.get(), raw(secret), &size) == 1 && size == kHashBytes;
  return derived ? secret : std::string();
}

/// HMAC with SHA-256; empty: it failed.
std::string hmac(std::string_view key, std::string_view text) {
  std::string hash(kHashBytes, '\0');
  unsigned size = 0;
  const unsigned char* made =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text), text.size(), raw(hash), &size);
  return made != nullptr && size == kHashBytes ? hash : std::string();
}

/// HKDF (RFC 5869) for at most one hash.
std::string hkdf(std::string_view salt, std::string_view secret, std::string_view info, std::size_t bytes) {
  return hmac(hmac(salt, secret), std::string(info) + '\x01').substr(0, bytes);
}

/// AES-128-GCM with its tag at the end; empty: it failed.
std::string sealed(std::string_view key, std::string_view nonce, std::string_view text) {
  const Own<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free> context(EVP_CIPHER_CTX_new());
  std::string out(text.size() + kTagBytes, '\0');
  int size = 0, rest = 0;
  const bool made =
      context && EVP_EncryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr, raw(key), raw(nonce)) == 1 &&
      EVP_EncryptUpdate(context.get(), raw(out), &size, raw(text), static_cast<int>(text.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), raw(out) + size, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, raw(out) + text.size()) == 1;
  return made ? out : std::string();
}

/// ES256: the signature as two numbers of 32 bytes; empty: it failed.
std::string signature_of(const KeyPair& own, std::string_view text) {
  const Own<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  std::size_t size = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, own.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, raw(text), text.size()) != 1)
    return {};
  std::string encoded(size, '\0');
  if (EVP_DigestSign(context.get(), raw(encoded), &size, raw(text), text.size()) != 1) return {};
  const unsigned char* at = raw(std::string_view(encoded));
  const Own<ECDSA_SIG, ECDSA_SIG_free> numbers(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size)));
  std::string out(2 * kPrivateKeyBytes, '\0');
  constexpr int kNumberBytes = static_cast<int>(kPrivateKeyBytes);
  const bool made =
      numbers && BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), raw(out), kNumberBytes) >= 0 &&
      BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), raw(out) + kPrivateKeyBytes, kNumberBytes) >= 0;
  return made ? out : std::string();
}

}  // namespace

void FreeKeyPair::operator()(evp_pkey_st* pair) const {
  EVP_PKEY_free(pair);
}

KeyPair new_key_pair() {
  return KeyPair(EVP_EC_gen(kCurve));
}

KeyPair key_pair_of(std::string_view point, std::string_view number) {
  return number.empty() ? KeyPair() : imported(point, number);
}

std::string public_point(const KeyPair& pair) {
  unsigned char* made = nullptr;
  const std::size_t size = EVP_PKEY_get1_encoded_public_key(pair.get(), &made);
  std::string point(reinterpret_cast<const char*>(made), size);
  OPENSSL_free(made);
  return point;
}

std::string private_number(const KeyPair& pair) {
  BIGNUM* made = nullptr;
  std::string bytes(kPrivateKeyBytes, '\0');
  if (EVP_PKEY_get_bn_param(pair.get(), OSSL_PKEY_PARAM_PRIV_KEY, &made) != 1) return {};
  const Number number(made);
  return BN_bn2binpad(number.get(), raw(bytes), static_cast<int>(bytes.size())) < 0 ? std::string() : bytes;
}

Result<std::string> encrypted_push(const PushReceiver& receiver, std::string_view text, const KeyPair& sender,
                                   std::string_view salt) {
  const KeyPair other = imported(receiver.key, {});
  if (!other)
    return fail(ErrorKind::usage, "bad_push_key", "the browser's key is not a point of the curve P-256");
  const std::string point = sender ? public_point(sender) : std::string();
  const std::string shared = point.empty() ? std::string() : shared_secret(sender, other);
  if (shared.empty() || text.size() > kMaxPushText || salt.size() != kPushSaltBytes)
    return push_failed("agreeing on a key");
  // RFC 8291, 3.4; then RFC 8188, 2.2. The terminating zeros of the names belong to them.
  using namespace std::string_view_literals;
  const std::string input =
      hkdf(receiver.auth, shared, std::string("WebPush: info\0"sv) + receiver.key + point, kHashBytes);
  const std::string key = hkdf(salt, input, "Content-Encoding: aes128gcm\0"sv, kContentKeyBytes);
  const std::string nonce = hkdf(salt, input, "Content-Encoding: nonce\0"sv, kNonceBytes);
  const std::string record = sealed(key, nonce, std::string(text) + kLastRecord);
  if (input.empty() || key.empty() || nonce.empty() || record.empty()) return push_failed("encrypting");
  std::string body(salt);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) body += static_cast<char>((kRecordBytes >> shift) & 0xffU);
  body += static_cast<char>(point.size());
  return body + point + record;
}

Result<std::string> vapid_authorization(const KeyPair& own, std::string_view audience,
                                        std::string_view contact, TimeUs until) {
  const nlohmann::json claims = {{"aud", audience}, {"exp", until / kSecondUs}, {"sub", contact}};
  const std::string text = base64url(R"({"typ":"JWT","alg":"ES256"})") + "." +
                           base64url(claims.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  const std::string signature = signature_of(own, text);
  if (signature.empty()) return push_failed("signing");
  return "vapid t=" + text + "." + base64url(signature) + ", k=" + base64url(public_point(own));
}

}  // namespace luzia
