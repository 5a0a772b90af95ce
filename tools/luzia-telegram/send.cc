#include "tools/luzia-telegram/send.h"

#include <algorithm>
#include <cstdio>

#include "adapters/notify/post_request.h"
#include "adapters/notify/telegram_settings.h"
#include "adapters/notify/telegram_store.h"
#include "tools/luzia-telegram/bot_api.h"

namespace luzia {
namespace {

int say(int code, const std::string& what, std::uint64_t retry_after_s = 0) {
  std::puts(what.c_str());
  if (retry_after_s != 0) std::printf("retry_after %llu\n", static_cast<unsigned long long>(retry_after_s));
  return code;
}

}  // namespace

int send_notice(const std::string& input) {
  const std::size_t line = input.find('\n');
  const auto settings = parse_settings(input.substr(0, line));
  auto message = line == std::string::npos ? std::nullopt : parse_stored_message(input.substr(line + 1));
  if (!settings || !message) return say(post_request::kNever, "the request is not whole");
  if (settings->chats.empty())
    return say(post_request::kNever, "[telegram] chats is empty: nobody can be notified");
  const auto token = read_token(settings->token_file, settings->token_variable);
  if (!token) return say(post_request::kNever, token.error().message + "; " + token.error().hint);
  const TelegramStore store(settings->folder);
  if (const Status open = store.open(); !open) return say(post_request::kTryAgain, open.error().message);
  const BotApi api(settings->api, *token);
  int code = post_request::kDelivered;
  std::string why;
  std::uint64_t retry_after_s = 0;
  for (const std::int64_t chat : settings->chats) {
    message->chat = chat;
    const bool sample = message->position == 0;
    if (!sample && store.was_sent(*message)) continue;
    const CallResult sent = api.call("sendMessage", send_body(*message), settings->timeout_ms);
    if (sent.how == CallResult::How::done) {
      message->message = sent.answer.message;
      if (sample) continue;
      if (const Status kept = store.keep(*message); !kept)
        std::fprintf(stderr, "%s\n", kept.error().message.c_str());
      continue;
    }
    why = "chat " + std::to_string(chat) + ": " + sent.detail;
    retry_after_s = std::max(retry_after_s, sent.retry_after_s);
    // Retry only if it may help.
    const bool later = sent.how == CallResult::How::later;
    code = later || code == post_request::kTryAgain ? post_request::kTryAgain : post_request::kNever;
  }
  return say(code, code == post_request::kDelivered ? "sent" : why, retry_after_s);
}

}  // namespace luzia
