// A local server with the part of Telegram's Bot API that the bot uses. Tests add updates and inspect the
// bot's calls; calls can be made to fail.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/adapters/notify/local_server.h"

namespace luzia {

class BotApiServer {
 public:
  using Json = nlohmann::json;
  struct Call {
    std::string method;
    Json body;
  };

  explicit BotApiServer(std::string token)
      : token_(std::move(token)), server_([this](const std::string& request) { return serve(request); }) {}
  ~BotApiServer() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  BotApiServer(const BotApiServer&) = delete;
  BotApiServer& operator=(const BotApiServer&) = delete;

  std::string url() const { return server_.url(); }

  /// Simulates @ann pressing a button below `message`.
  void press(std::int64_t chat, std::int64_t message, const std::string& data) {
    say({{"callback_query",
          {{"id", "c" + std::to_string(message)},
           {"from", {{"id", 7}, {"first_name", "Ann"}, {"username", "ann"}}},
           {"message", {{"message_id", message}, {"chat", {{"id", chat}}}}},
           {"data", data}}}});
  }
  /// Simulates a message from @ann; `reply_to` 0: not a reply.
  void write(std::int64_t chat, const std::string& text, std::int64_t reply_to = 0) {
    Json message = {{"message_id", 9'000}, {"chat", {{"id", chat}}}, {"text", text}};
    message["from"] = {{"id", 7}, {"username", "ann"}};
    if (reply_to != 0) message["reply_to_message"] = {{"message_id", reply_to}, {"chat", {{"id", chat}}}};
    say({{"message", message}});
  }
  /// Gives the next call of `method` this answer: HTTP status code and body.
  void fail_next(const std::string& method, int status, const Json& body) {
    const std::lock_guard lock(mutex_);
    failures_[method].push_back({status, body.dump()});
  }
  /// If set, the server repeats its updates whatever offset the bot asks for.
  void repeat_updates(bool repeat) {
    const std::lock_guard lock(mutex_);
    repeat_ = repeat;
    changed_.notify_all();
  }

  /// The successful calls of a method, in order.
  std::vector<Json> calls(const std::string& method) const { return bodies(calls_, method); }
  std::vector<Json> failed_calls(const std::string& method) const { return bodies(failed_, method); }

 private:
  struct Failure {
    int status;
    std::string body;
  };

  std::vector<Json> bodies(const std::vector<Call>& calls, const std::string& method) const {
    const std::lock_guard lock(mutex_);
    std::vector<Json> found;
    for (const Call& call : calls) {
      if (call.method == method) found.push_back(call.body);
    }
    return found;
  }

  void say(Json update) {
    const std::lock_guard lock(mutex_);
    update["update_id"] = 100 + static_cast<std::int64_t>(updates_.size());
    updates_.push_back(std::move(update));
    changed_.notify_all();
  }

  std::string serve(const std::string& request) {
    const std::string path = request.substr(5, request.find(' ', 5) - 5);
    const std::string content = request.substr(request.find("\r\n\r\n") + 4);
    const auto [status, body] = answer(path, Json::parse(content, nullptr, false));
    return "HTTP/1.1 " + std::to_string(status) +
           " X\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
  }

  std::pair<int, std::string> answer(const std::string& path, const Json& body) {
    const std::string prefix = "/bot" + token_ + "/";
    if (!path.starts_with(prefix)) {
      return {401, R"({"ok":false,"error_code":401,"description":"Unauthorized"})"};
    }
    const std::string method = path.substr(prefix.size());
    std::unique_lock lock(mutex_);
    if (auto& failures = failures_[method]; !failures.empty()) {
      const Failure failure = failures.front();
      failures.pop_front();
      failed_.push_back({method, body});
      return {failure.status, failure.body};
    }
    calls_.push_back({method, body});
    if (method == "getUpdates") return {200, wait_for_updates(lock, body)};
    if (method == "sendMessage") {
      return {200, Json{{"ok", true}, {"result", {{"message_id", ++last_message_}}}}.dump()};
    }
    return {200, R"({"ok":true,"result":true})"};
  }

  std::string wait_for_updates(std::unique_lock<std::mutex>& lock, const Json& body) {
    const auto offset = body.value("offset", std::int64_t{0});
    const auto wanted = [&] {
      Json list = Json::array();
      for (const Json& update : updates_) {
        if (repeat_ || update["update_id"].get<std::int64_t>() >= offset) list.push_back(update);
      }
      return list;
    };
    if (repeat_) changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return stopping_; });
    changed_.wait_for(lock, std::chrono::seconds(body.value("timeout", 0)),
                      [&] { return stopping_ || !wanted().empty(); });
    return Json{{"ok", true}, {"result", wanted()}}.dump();
  }

  const std::string token_;
  mutable std::mutex mutex_;  // guards everything below but server_
  std::condition_variable changed_;
  std::vector<Json> updates_;
  std::vector<Call> calls_, failed_;
  std::map<std::string, std::deque<Failure>> failures_;
  std::int64_t last_message_ = 500;
  bool repeat_ = false, stopping_ = false;
  LocalServer server_;  // last, so it is destroyed first: its threads use the members above
};

}  // namespace luzia
