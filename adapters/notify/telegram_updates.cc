#include "adapters/notify/telegram_updates.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "projections/rows/harmless.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = 8 << 20;
constexpr std::size_t kNameBytes = 100, kDescriptionBytes = 300;
/// Deeper than any real answer; text with more nesting is not parsed.
constexpr int kMostDepth = 64;

Json parse_json(std::string_view text) {
  if (text.size() > kMostBytes) return Json::value_t::discarded;
  const auto in_depth = [](int depth, Json::parse_event_t, Json&) { return depth <= kMostDepth; };
  return Json::parse(text.begin(), text.end(), in_depth, false);
}

/// The member; null if absent.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto it = object.find(name);
  return it == object.end() ? kNone : *it;
}

std::int64_t number(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (value.is_number_unsigned()) {
    const auto whole = value.get<std::uint64_t>();
    return whole > static_cast<std::uint64_t>(INT64_MAX) ? 0 : static_cast<std::int64_t>(whole);
  }
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::string string(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string name_of(const Json& from) {
  std::string name = string(from, "first_name");
  if (const std::string user = string(from, "username"); !user.empty()) name = "@" + user;
  return make_harmless(name.substr(0, kNameBytes), {.keep_tabs = false});
}

void take_person(TelegramUpdate& update, const Json& from) {
  update.from = name_of(from);
  update.user = number(from, "id");
}

TelegramUpdate update_of(const Json& each) {
  TelegramUpdate update;
  update.id = number(each, "update_id");
  if (const Json& button = member(each, "callback_query"); button.is_object()) {
    const Json& below = member(button, "message");
    update.chat = number(member(below, "chat"), "id");
    update.message = number(below, "message_id");
    take_person(update, member(button, "from"));
    update.callback = string(button, "id");
    update.data = string(button, "data");
  } else if (const Json& message = member(each, "message"); message.is_object()) {
    update.chat = number(member(message, "chat"), "id");
    update.message = number(message, "message_id");
    take_person(update, member(message, "from"));
    update.text = string(message, "text");
    update.reply_to = number(member(message, "reply_to_message"), "message_id");
  }
  return update;
}

}  // namespace

Result<std::vector<TelegramUpdate>> parse_updates(std::string_view body) {
  const Json json = parse_json(body);
  const Json& list = member(json, "result");
  if (!member(json, "ok").is_boolean() || !member(json, "ok").get<bool>() || !list.is_array()) {
    return fail(ErrorKind::trouble, "bad_updates", "reading updates: this is not an answer of Telegram");
  }
  std::vector<TelegramUpdate> updates;
  for (const Json& each : list) {
    TelegramUpdate update = update_of(each);
    if (update.id > 0) updates.push_back(std::move(update));
  }
  return updates;
}

TelegramAnswer parse_answer(std::string_view body) {
  const Json json = parse_json(body);
  TelegramAnswer answer;
  answer.ok = member(json, "ok").is_boolean() && member(json, "ok").get<bool>();
  answer.error_code = static_cast<int>(std::clamp<std::int64_t>(number(json, "error_code"), 0, 999));
  answer.description = make_harmless(string(json, "description").substr(0, kDescriptionBytes));
  const std::int64_t after = number(member(json, "parameters"), "retry_after");
  answer.retry_after_s = static_cast<std::uint64_t>(std::max<std::int64_t>(0, after));
  answer.message = number(member(json, "result"), "message_id");
  return answer;
}

}  // namespace luzia
