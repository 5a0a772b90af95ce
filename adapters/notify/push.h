// Notifies a device by push. Each notice runs luzia-push in a separate process, so the daemon needs neither
// libcurl nor libcrypto, and nobody sees an endpoint among the words of a process. Blocks; for a delivery
// thread.
//
// Standard input: a line of JSON (PushOrder), then the text for the browser. Standard output: a line that
// says what happened; then perhaps "retry_after SECONDS", or "gone STATUS" if the subscription does not exist
// any more. Exit status: see post_request.h.
#pragma once

#include "adapters/notify/delivery.h"

namespace luzia {

/// How a push is to be sent.
struct PushOrder {
  std::string store;      // holds the sender's key
  std::string endpoint;   // of the browser's subscription, as its keys
  std::string key, auth;  // base64url
  std::string contact;    // an address of who sends, for the service
  std::uint64_t timeout_ms = 0;
  bool own_service = false;  // the configuration names it: it need not be on the public internet
  // Of the message: what the service does while the device is away.
  std::uint64_t keep_s = 0;
  std::string urgency, topic;  // RFC 8030, 5.3 and 5.4: a later one of the same topic replaces it
};
std::string push_order_text(const PushOrder& order);
std::optional<PushOrder> parse_push_order(std::string_view text);

struct Push {
  HookCommand sender;  // its command is luzia-push
  std::string device, person;
  PushOrder order;  // but for the message's part
};

/// What the browser gets: {"title","body","url","tag"}. `url`: of the page, "/#/ask". Equal tags are of the
/// same event.
std::string push_text(const Notice& notice);

/// `gone` in the delivery: the subscription does not exist any more.
Delivery send_by_push(const Push& push, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
