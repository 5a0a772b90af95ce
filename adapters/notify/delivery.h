// Ways to tell somebody of an event: start a command, or post to an address. Both block until it is done, out
// of time or broken off, so they run on threads of their own (delivery_threads.h), never on the loop.
#pragma once

#include <map>
#include <optional>
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
  std::size_t most_output = 4096;
  /// Who it runs as, UID:GID:GROUP,... with all supplementary groups; empty: as we do. Only root may become
  /// another user.
  std::string user = {};
};

/// A command's end. `end`: in words, when it was not exit code 0.
struct CommandRun {
  std::optional<int> exit_code;
  std::string end;
  std::string output;  // the first bytes (most_output) of standard output and error, as they are
  std::uint64_t elapsed_ms = 0;
};

/// Runs the command in a session of its own, in "/", with `input` on its standard input. It has none of our
/// descriptors. When its time is over, or `stop` is asked for, it is killed with everything that it has
/// started. The caller's thread must not take SIGPIPE.
CommandRun run_command(const HookCommand& hook, const std::string& input, const std::stop_token& stop);

/// The command of a hook: gets the event as one line; delivered = exit code 0.
Delivery run_hook_command(const HookCommand& hook, const Notice& notice, const std::stop_token& stop);

enum class WebhookFormat { json, slack, ntfy };
WebhookFormat parse_webhook_format(std::string_view word);

struct Webhook {
  std::string url;
  WebhookFormat format = WebhookFormat::json;
  std::map<std::string, std::string> headers;
  std::uint64_t timeout_ms = 10'000;
  HookCommand poster;  // luzia-post
};

/// What is sent: a body and headers ("Name: value").
struct WebhookMessage {
  std::string body;
  std::vector<std::string> headers;
};
WebhookMessage webhook_message(const Webhook& hook, const Notice& notice);

/// Posts the notice, by luzia-post in a process of its own. Delivered = 2xx. What is told of a failure never
/// contains the address.
Delivery send_webhook(const Webhook& hook, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
