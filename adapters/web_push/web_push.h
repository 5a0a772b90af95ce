// Web Push: encrypts a message for a browser (RFC 8291, in the form aes128gcm of RFC 8188) and signs who
// sends it (VAPID, RFC 8292). Pure but for new_key_pair(); any thread. Keys are of the curve P-256.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/time.h"

struct evp_pkey_st;  // of libcrypto

namespace luzia {

struct FreeKeyPair {
  void operator()(evp_pkey_st* pair) const;
};
using KeyPair = std::unique_ptr<evp_pkey_st, FreeKeyPair>;

constexpr std::size_t kPrivateKeyBytes = 32, kPushSaltBytes = 16;
/// What fits a push that every service takes, 4096 bytes.
constexpr std::size_t kMaxPushText = 3'900;

/// Null: libcrypto fails.
KeyPair new_key_pair();
/// Null: `point` is not on the curve, or `number` is not its private key. `point`: 65 bytes.
KeyPair key_pair_of(std::string_view point, std::string_view number);
std::string public_point(const KeyPair& pair);
std::string private_number(const KeyPair& pair);

/// A browser's keys, as its subscription names them: a point and 16 bytes.
struct PushReceiver {
  std::string key, auth;
};

/// The body of the request. `sender`: a new pair for each message; `salt`: kPushSaltBytes random bytes.
/// `bad_push_key` (usage): the receiver's key is no point of the curve. `push_failed` (trouble): libcrypto
/// fails, or `text` is too long.
Result<std::string> encrypted_push(const PushReceiver& receiver, std::string_view text, const KeyPair& sender,
                                   std::string_view salt);

/// The value of Authorization. `audience`: the service, "https://push.example"; `contact`: a mailto or https
/// address of who sends; `until`: at most a day ahead. `push_failed` (trouble).
Result<std::string> vapid_authorization(const KeyPair& own, std::string_view audience,
                                        std::string_view contact, TimeUs until);

}  // namespace luzia
