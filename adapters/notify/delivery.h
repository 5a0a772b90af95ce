// Ways to tell somebody of an event: start a command, or post to an address. Both block until it is done, out
// of time or broken off, so they run on threads of their own (delivery_threads.h), never on the loop.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/notify/notice.h"

namespace luzia {

/// How it went. `output`: the first bytes of what a command printed or a server answered, harmless, for the
/// log.
struct Delivery {
  HookTry result;
  std::string output;
};

struct HookCommand {
  std::string runner;  // luzia-run, which is the command's parent
  std::vector<std::string> command;
  std::vector<std::string> environment;  // all of it, KEY=VALUE
  std::uint64_t timeout_ms = 10'000;
  std::uint64_t open_files = 0;  // soft limit of the command; 0: ours
};

/// Runs the command in a session of its own, in "/", with `input` and a line break on its standard input. It
/// has none of our descriptors. Delivered = exit code 0. When its time is over, or `stop` is asked for, it is
/// killed with everything that it has started. The caller's thread must not take SIGPIPE.
Delivery run_hook_command(const HookCommand& hook, const std::string& input, const std::stop_token& stop);

enum class WebhookFormat { json, slack, ntfy };
WebhookFormat parse_webhook_format(std::string_view word);

struct Webhook {
  std::string url;
  WebhookFormat format = WebhookFormat::json;
  std::map<std::string, std::string> headers;
  std::uint64_t timeout_ms = 10'000;
};

/// What is sent: a body and headers ("Name: value").
struct WebhookMessage {
  std::string body;
  std::vector<std::string> headers;
};
WebhookMessage webhook_message(const Webhook& hook, const Notice& notice);

/// Posts the notice. Delivered = 2xx. Certificates are checked, redirects are not followed (the new address
/// may be anybody's, and the headers may hold secrets), other schemes than http and https are not spoken.
/// What is told of a failure never contains the address, whose path is a secret with many services.
Delivery send_webhook(const Webhook& hook, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
