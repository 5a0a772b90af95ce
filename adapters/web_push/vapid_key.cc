#include "adapters/web_push/vapid_key.h"

#include "engine/base/base64url.h"
#include "engine/base/store_file.h"
#include "engine/base/try.h"
#include "engine/device/push.h"

namespace luzia {
namespace {

constexpr std::string_view kNoPushKey = "no_push_key";

std::string vapid_path(const std::string& store) {
  return store + "/" + kPushKeyFile;
}

}  // namespace

Result<KeyPair> read_vapid_key(const std::string& store) {
  const std::string path = vapid_path(store);
  const auto line = LUZIA_TRY(read_store_file(path));
  if (!line)
    return fail(ErrorKind::trouble, std::string(kNoPushKey), "there is no " + path,
                "subscribe the device again: in the page, Machine");
  std::string_view text = *line;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t blank = std::min(text.find(' '), text.size());
  const auto point = from_base64url(text.substr(0, blank));
  const auto number = from_base64url(text.substr(std::min(blank + 1, text.size())));
  KeyPair pair = point && number ? key_pair_of(*point, *number) : KeyPair();
  if (pair) return pair;
  return fail(ErrorKind::trouble, "bad_push_key_file", path + " holds no key",
              "put the right one back, or remove it: then devices subscribe again");
}

Result<KeyPair> vapid_key(const std::string& store) {
  auto known = read_vapid_key(store);
  if (known || known.error().code != kNoPushKey) return known;
  KeyPair made = new_key_pair();
  if (!made) return fail(ErrorKind::trouble, "push_failed", "making a key for pushes failed");
  LUZIA_TRY(write_store_file(vapid_path(store),
                             base64url(public_point(made)) + " " + base64url(private_number(made)) + "\n"));
  return made;
}

}  // namespace luzia
