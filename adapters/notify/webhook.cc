#include "adapters/notify/delivery.h"
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
  Delivery delivery = delivery_of(run);
  delivery.output = make_harmless(answer, {.keep_newlines = true});
  if (delivery.result.delivered || !has_spoken(run) || answer.empty()) return delivery;
  delivery.result.detail += ": " + make_harmless(answer.substr(0, kDetailAnswerBytes));
  return delivery;
}

}  // namespace luzia
