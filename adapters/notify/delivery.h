// Deliver a notification by running a command or posting to a URL. Both block until done, timed out or
// stopped. So they run on their own threads (delivery_threads.h), never on the loop.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/notify/notice.h"

namespace luzia {

/// The result of a delivery. `output`: the first bytes of a command's output or a server's answer, sanitized
/// for the log.
struct Delivery {
  HookTry result;
  std::string output;
  bool gone = false;  // of a push: the browser does not take any more
};

struct HookCommand {
  std::string runner;  // luzia-run, which becomes the command's parent process
  std::vector<std::string> command;
  std::vector<std::string> environment;  // complete, KEY=VALUE
  std::uint64_t timeout_ms = 10'000;
  std::uint64_t open_files = 0;  // the command's soft limit; 0: ours
  std::size_t most_output = 4096;
  bool drops_errors = false;  // standard error is no part of its output
  /// The account it runs as: UID:GID:GROUP,... with all supplementary groups; empty: ours. Only root may use
  /// another account.
  std::string user = {};
};

/// How a command ended. `end`: a description, unless the exit code is 0.
struct CommandRun {
  std::optional<int> exit_code;
  std::string end;
  std::string output;  // the first bytes (most_output) of standard output and perhaps error, raw
  std::uint64_t elapsed_ms = 0;
};

/// Runs the command in its own session, in "/", with `input` on its standard input and none of our
/// descriptors. On timeout or a stop request, kills it and all processes that it started. The calling thread
/// must block or ignore SIGPIPE.
CommandRun run_command(const HookCommand& hook, const std::string& input, const std::stop_token& stop);

/// What came of a sender that speaks as post_request.h says: delivered, or what its first line says, and
/// whether another try may help.
Delivery delivery_of(const CommandRun& run);
/// The same with what its further lines say, "retry_after SECONDS" and "gone WHY". Not for luzia-post, whose
/// further lines are the server's.
Delivery delivery_with_words(const CommandRun& run);
/// Whether it said why it did not deliver; else it was killed, or could not run.
bool has_spoken(const CommandRun& run);

/// Runs a hook's command with the event as one line of input; exit code 0 means delivered.
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

/// The message to send: a body and headers ("Name: value").
struct WebhookMessage {
  std::string body;
  std::vector<std::string> headers;
};
WebhookMessage webhook_message(const Webhook& hook, const Notice& notice);

/// Posts the notice with luzia-post, in a separate process. A 2xx status means delivered. Error texts never
/// contain the URL.
Delivery send_webhook(const Webhook& hook, const Notice& notice, const std::stop_token& stop);

}  // namespace luzia
