#include "adapters/notify/delivery.h"
#include "adapters/notify/post_request.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr std::size_t kDetailAnswerBytes = 200;
/// luzia-post stops by itself at the timeout; this much later it is killed.
constexpr std::uint64_t kPosterPatienceMs = 2'000;

std::string request_text(const Webhook& hook, const Notice& notice) {
  const WebhookMessage message = webhook_message(hook, notice);
  std::string text = hook.url + "\n" + std::to_string(hook.timeout_ms) + "\n";
  for (const std::string& header : message.headers) text += header + "\n";
  return text + "\n" + message.body;
}

}  // namespace

Delivery send_webhook(const Webhook& hook, const Notice& notice, const std::stop_token& stop) {
  HookCommand poster = hook.poster;
  poster.timeout_ms = hook.timeout_ms + kPosterPatienceMs;
  const CommandRun run = run_command(poster, request_text(hook, notice), stop);
  const std::size_t line = std::min(run.output.find('\n'), run.output.size());
  const std::string answer = run.output.substr(std::min(line + 1, run.output.size()));
  Delivery delivery;
  delivery.output = make_harmless(answer, {.keep_newlines = true});
  delivery.result.elapsed_ms = run.elapsed_ms;
  delivery.result.delivered = run.exit_code == post_request::kDelivered;
  if (delivery.result.delivered) return delivery;
  delivery.result.final = run.exit_code == post_request::kNever;
  const bool spoke = run.exit_code == post_request::kTryAgain || run.exit_code == post_request::kNever;
  delivery.result.detail = spoke ? make_harmless(run.output.substr(0, line)) : run.end;
  if (spoke && !answer.empty()) {
    delivery.result.detail += ": " + make_harmless(answer.substr(0, kDetailAnswerBytes));
  }
  return delivery;
}

}  // namespace luzia
