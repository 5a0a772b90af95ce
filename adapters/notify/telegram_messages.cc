#include "adapters/notify/telegram_messages.h"

#include <nlohmann/json.hpp>

#include "engine/base/whole_number.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

/// Telegram's limit is 4,096 UTF-16 units, and no text has more units than bytes. The outcome is appended
/// later.
constexpr std::size_t kMessageBytes = 3'400, kOutcomeBytes = 600;
constexpr std::size_t kLabelBytes = 60, kAlertBytes = 190;

std::string cut(std::string_view text, std::size_t bytes) {
  std::string whole = make_harmless(text, {.keep_newlines = true});
  if (whole.size() <= bytes) return whole;
  while (bytes > 0 && (static_cast<unsigned char>(whole[bytes]) & 0xc0) == 0x80) --bytes;
  return whole.substr(0, bytes) + "…";
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json button(const std::string& label, const std::string& data) {
  return {{"text", cut(label, kLabelBytes)}, {"callback_data", data}};
}

Json keyboard(const TelegramMessage& message) {
  Json rows = Json::array();
  if (message.approval) {
    rows.push_back(Json::array({button("✅ approve", button_data(message.request, 0)),
                                button("❌ deny", button_data(message.request, 1))}));
  }
  for (std::size_t i = 0; i < message.answers.size(); ++i) {
    rows.push_back(Json::array({button(message.answers[i], button_data(message.request, i))}));
  }
  return rows;
}

}  // namespace

TelegramMessage telegram_message(const Notice& notice, std::int64_t chat) {
  TelegramMessage message;
  message.position = notice.position;
  message.chat = chat;
  message.job = notice.job;
  message.text = cut(notice.text, kMessageBytes);
  if (notice.request) {
    message.request = notice.request->id;
    message.approval = notice.request->approval;
    message.answers = notice.request->answers;
  }
  return message;
}

std::string send_body(const TelegramMessage& message) {
  Json body = {{"chat_id", message.chat}, {"text", message.text}, {"disable_web_page_preview", true}};
  if (Json rows = keyboard(message); !rows.empty()) {
    body["reply_markup"] = {{"inline_keyboard", std::move(rows)}};
  } else if (!message.request.empty()) {
    body["reply_markup"] = {{"force_reply", true}};
  }
  return dump(body);
}

std::string edit_body(const TelegramMessage& message, const std::string& outcome) {
  return dump({{"chat_id", message.chat},
               {"message_id", message.message},
               {"text", message.text + "\n\n" + cut(outcome, kOutcomeBytes)},
               {"disable_web_page_preview", true}});
}

std::string reply_body(std::int64_t chat, std::int64_t to, const std::string& text) {
  Json body = {{"chat_id", chat}, {"text", cut(text, kMessageBytes)}};
  if (to != 0) {
    body["reply_to_message_id"] = to;
    body["allow_sending_without_reply"] = true;
  }
  return dump(body);
}

std::string callback_body(const std::string& callback, const std::string& text) {
  Json body = {{"callback_query_id", callback}};
  if (!text.empty()) {
    body["text"] = cut(text, kAlertBytes);
    body["show_alert"] = true;
  }
  return dump(body);
}

std::string updates_body(std::int64_t offset, int timeout_s) {
  return dump({{"offset", offset},
               {"timeout", timeout_s},
               {"allowed_updates", Json::array({"message", "callback_query"})}});
}

std::string button_data(const std::string& request, std::size_t index) {
  return request + " " + std::to_string(index);
}

std::optional<PressedButton> parse_button(std::string_view data) {
  const std::size_t blank = data.find(' ');
  if (blank == std::string_view::npos || blank == 0 || data.size() > 64) return std::nullopt;
  const auto index = parse_whole_number<std::size_t>(data.substr(blank + 1));
  if (!index) return std::nullopt;
  return PressedButton{std::string(data.substr(0, blank)), *index};
}

}  // namespace luzia
