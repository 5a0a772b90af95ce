#include "adapters/notify/push.h"

#include <nlohmann/json.hpp>

#include "engine/base/base64url.h"
#include "engine/base/hash.h"
#include "engine/base/utf8.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

/// luzia-push stops by itself at the timeout; this much later it is killed.
constexpr std::uint64_t kPushPatienceMs = 2'000;
constexpr std::string_view kFlowVariable = "LUZIA_FLOW_ID=";
constexpr std::uint64_t kKeepSeconds = 24 * 3'600;
constexpr std::size_t kTitleBytes = 80, kBodyBytes = 240, kTopicBytes = 32;

std::string one_line(std::string_view text, std::size_t most) {
  const std::string line = make_harmless(text.substr(0, text.find('\n')));
  const std::string cut = bounded_utf8(line, most);
  return cut.size() < line.size() ? cut + "…" : cut;
}

/// What is asked, or what happened: of a prompt, the line after the one that says that there is one.
std::string_view body_of(const Notice& notice) {
  std::string_view text = notice.text;
  const std::size_t end = text.find('\n');
  return notice.request && end != std::string_view::npos ? text.substr(end + 1) : text;
}

std::string place_of(const Notice& notice) {
  if (notice.position == 0) return "/#/machine";  // a sample
  if (notice.request) return "/#/ask";
  if (!notice.job.empty()) return "/#/jobs/" + notice.job;
  for (const std::string& variable : notice.variables) {
    if (variable.starts_with(kFlowVariable)) return "/#/flows/" + variable.substr(kFlowVariable.size());
  }
  return "/#/";
}

const char* push_urgency(schema::Severity severity) {
  return severity == schema::Severity::info ? "normal" : "high";
}

}  // namespace

std::string push_order_text(const PushOrder& order) {
  const Json json = {{"store", order.store},
                     {"endpoint", order.endpoint},
                     {"key", order.key},
                     {"auth", order.auth},
                     {"contact", order.contact},
                     {"timeout_ms", order.timeout_ms},
                     {"own_service", order.own_service},
                     {"keep_s", order.keep_s},
                     {"urgency", order.urgency},
                     {"topic", order.topic}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<PushOrder> parse_push_order(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  PushOrder order;
  const auto take = [&json](const char* key, std::string& into) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) return false;
    into = found->get<std::string>();
    return true;
  };
  const auto number = [&json](const char* key, std::uint64_t& into) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_unsigned()) return false;
    into = found->get<std::uint64_t>();
    return true;
  };
  const bool whole = take("store", order.store) && take("endpoint", order.endpoint) &&
                     take("key", order.key) && take("auth", order.auth) && take("contact", order.contact) &&
                     take("urgency", order.urgency) && take("topic", order.topic) &&
                     number("timeout_ms", order.timeout_ms) && number("keep_s", order.keep_s);
  if (!whole || order.timeout_ms == 0) return std::nullopt;
  order.own_service = json.value("own_service", Json(false)) == Json(true);
  return order;
}

std::string push_text(const Notice& notice) {
  std::string title = notice.event;
  std::ranges::replace(title, '_', ' ');
  if (!notice.project.empty()) title = notice.project + ": " + title;
  const Json json = {{"title", one_line(title, kTitleBytes)},
                     {"body", one_line(body_of(notice), kBodyBytes)},
                     {"url", place_of(notice)},
                     {"tag", notice.id()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Delivery send_by_push(const Push& push, const Notice& notice, const std::stop_token& stop) {
  HookCommand sender = push.sender;
  sender.timeout_ms = push.order.timeout_ms + kPushPatienceMs;
  PushOrder order = push.order;
  order.keep_s = kKeepSeconds;
  order.urgency = push_urgency(notice.severity);
  const Hash hash = blake2b({as_bytes(notice.id())});
  order.topic = base64url({reinterpret_cast<const char*>(hash.data()), hash.size()}).substr(0, kTopicBytes);
  return delivery_with_words(run_command(sender, push_order_text(order) + "\n" + push_text(notice), stop));
}

}  // namespace luzia
