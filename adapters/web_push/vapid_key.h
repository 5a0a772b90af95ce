// The key pair by which push services know this store as the sender (VAPID, RFC 8292): STORE/push.key, one
// line with the public point and the private number in base64url, mode 0600. A browser's subscription is
// bound to it, so it is made once. Any thread; no two make it at the same time.
#pragma once

#include "adapters/web_push/web_push.h"

namespace luzia {

/// `no_push_key` (trouble): there is none. `bad_push_key_file` (trouble): it holds no key. As
/// read_store_file().
Result<KeyPair> read_vapid_key(const std::string& store);

/// Makes it if there is none. Errors: as above, as write_store_file(), `push_failed`.
Result<KeyPair> vapid_key(const std::string& store);

}  // namespace luzia
