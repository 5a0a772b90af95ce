// Builds bodies and headers for receivers. json: the event as `luzia follow` prints it. slack: an incoming
// webhook's text (https://api.slack.com/messaging/webhooks; Mattermost and Rocket.Chat accept the same).
// ntfy: text with headers (https://docs.ntfy.sh/publish/).
#include <nlohmann/json.hpp>

#include "adapters/notify/delivery.h"
#include "adapters/notify/markup.h"

namespace luzia {
namespace {

const char* ntfy_priority(schema::Severity severity) {
  switch (severity) {
    case schema::Severity::info:
      return "3";
    case schema::Severity::warning:
    case schema::Severity::error:
      return "4";
    case schema::Severity::critical:
      return "5";
  }
  return "3";
}

const char* emoji(schema::Severity severity) {
  switch (severity) {
    case schema::Severity::info:
      return ":information_source:";
    case schema::Severity::warning:
      return ":warning:";
    case schema::Severity::error:
      return ":x:";
    case schema::Severity::critical:
      return ":rotating_light:";
  }
  return "";
}

}  // namespace

WebhookFormat parse_webhook_format(std::string_view word) {
  if (word == "slack") return WebhookFormat::slack;
  return word == "ntfy" ? WebhookFormat::ntfy : WebhookFormat::json;
}

WebhookMessage webhook_message(const Webhook& hook, const Notice& notice) {
  WebhookMessage message;
  switch (hook.format) {
    case WebhookFormat::json:
      message.body = notice.json;
      message.headers = {"Content-Type: application/json"};
      break;
    case WebhookFormat::slack: {
      const nlohmann::json body = {{"text", std::string(emoji(notice.severity)) + " *" + notice.event + "* " +
                                                without_markup(notice.text)}};
      message.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      message.headers = {"Content-Type: application/json"};
      break;
    }
    case WebhookFormat::ntfy:
      message.body = notice.text;
      message.headers = {"Content-Type: text/plain; charset=utf-8", "Title: luzia " + notice.event,
                         std::string("Priority: ") + ntfy_priority(notice.severity),
                         "Tags: luzia," + notice.event};
      break;
  }
  message.headers.push_back("Idempotency-Key: " + notice.id());
  message.headers.push_back("Luzia-Position: " + std::to_string(notice.position));
  message.headers.push_back("Luzia-Event: " + notice.event);
  for (const auto& [name, value] : hook.headers) {
    // libcurl reads "Name:" as "omit this header"; this form sends an empty value.
    message.headers.push_back(value.empty() ? name + ";" : name + ": " + value);
  }
  return message;
}

}  // namespace luzia
