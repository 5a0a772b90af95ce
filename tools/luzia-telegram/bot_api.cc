#include "tools/luzia-telegram/bot_api.h"

#include "adapters/notify/post_request.h"
#include "tools/luzia-post/post.h"

namespace luzia {
namespace {

constexpr std::size_t kAnswerBytes = 4 << 20;

}  // namespace

CallResult BotApi::call(const std::string& method, const std::string& body, std::uint64_t timeout_ms) const {
  PostRequest request;
  request.url = api_ + (api_.ends_with('/') ? "bot" : "/bot") + token_ + "/" + method;
  request.timeout_ms = static_cast<long>(timeout_ms);
  request.headers = {"Content-Type: application/json"};
  request.body = body;
  request.answer_bytes = kAnswerBytes;
  PostResult posted = post(request);
  CallResult result;
  result.status = static_cast<int>(posted.status);
  result.answer = parse_answer(posted.answer);
  result.body = std::move(posted.answer);
  if (posted.code == post_request::kDelivered && result.answer.ok) {
    result.how = CallResult::How::done;
    return result;
  }
  // 409: another program is requesting this bot's updates; it may end.
  const bool hopeless = posted.code == post_request::kNever && posted.status != 409;
  result.how = hopeless ? CallResult::How::never : CallResult::How::later;
  result.retry_after_s = result.answer.retry_after_s;
  // The API's messages should not contain the token. If one does, it is not passed on.
  const bool tells = result.body.find(token_) != std::string::npos;
  result.detail = posted.detail;
  if (tells) {
    result.detail += ": (the answer cannot be shown)";
  } else if (!result.answer.description.empty()) {
    result.detail += ": " + result.answer.description;
  }
  return result;
}

}  // namespace luzia
