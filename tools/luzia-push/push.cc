#include "tools/luzia-push/push.h"

#include "adapters/notify/post_request.h"
#include "adapters/web_push/vapid_key.h"
#include "engine/base/base64url.h"
#include "engine/base/hash.h"
#include "engine/base/try.h"
#include "engine/device/push.h"
#include "tools/luzia-post/post.h"

namespace luzia {
namespace {

/// RFC 8292 allows a day; clocks differ.
constexpr TimeUs kTokenLasts = 12 * kHourUs;
constexpr long kStatusGone = 410, kStatusNotFound = 404, kStatusForbidden = 403, kStatusUnauthorized = 401;

Result<PostRequest> push_request(const PushOrder& order, std::string_view text, TimeUs now) {
  if (!order.own_service) {
    LUZIA_TRY(check_push_endpoint(order.endpoint, {}));
  }
  const auto own = LUZIA_TRY(read_vapid_key(order.store));
  const std::string token =
      LUZIA_TRY(vapid_authorization(own, push_service(order.endpoint), order.contact, now + kTokenLasts));
  const PushReceiver receiver{from_base64url(order.key).value_or(""),
                              from_base64url(order.auth).value_or("")};
  PostRequest request;
  request.body = LUZIA_TRY(encrypted_push(receiver, text, new_key_pair(), random_bytes(kPushSaltBytes)));
  request.url = order.endpoint;
  request.timeout_ms = static_cast<long>(order.timeout_ms);
  request.headers = {"Authorization: " + token,
                     "Content-Type: application/octet-stream",
                     "Content-Encoding: aes128gcm",
                     "TTL: " + std::to_string(order.keep_s),
                     "Urgency: " + order.urgency,
                     "Topic: " + order.topic,
                     "Expect:"};
  request.public_only = !order.own_service;
  return request;
}

}  // namespace

PushResult send_push(const PushOrder& order, std::string_view text, TimeUs now) {
  const auto request = push_request(order, text, now);
  if (!request) return {post_request::kNever, request.error().message + "\n"};
  const PostResult posted = post(*request);
  std::string said = posted.detail;
  if (posted.status == kStatusUnauthorized || posted.status == kStatusForbidden)
    said += ": the service does not take the key of this store; subscribe the device again";
  said += '\n';
  if (posted.status == kStatusGone || posted.status == kStatusNotFound)
    said += "gone " + std::to_string(posted.status) + "\n";
  if (posted.retry_after_s > 0) said += "retry_after " + std::to_string(posted.retry_after_s) + "\n";
  return {posted.code, said};
}

}  // namespace luzia
