// A server that speaks as much of Telegram's Bot API as the bot uses, on a free port of this machine. Tests
// put updates in and look at what was said; answers can be made to fail. Each request has a connection and a
// thread of its own, since getUpdates blocks.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace luzia {

class BotApiServer {
 public:
  using Json = nlohmann::json;
  struct Call {
    std::string method;
    Json body;
  };

  explicit BotApiServer(std::string token) : token_(std::move(token)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 64);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    [[maybe_unused]] const int made = ::pipe(wake_);
    accepting_ = std::jthread([this] { accept_all(); });
  }
  ~BotApiServer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    ::close(wake_[1]);
    accepting_.join();
    serving_.clear();
    for (const int fd : {listener_, wake_[0]}) ::close(fd);
  }
  BotApiServer(const BotApiServer&) = delete;
  BotApiServer& operator=(const BotApiServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// A button below `message` was pressed by @ann.
  void press(std::int64_t chat, std::int64_t message, const std::string& data) {
    say({{"callback_query",
          {{"id", "c" + std::to_string(message)},
           {"from", {{"id", 7}, {"first_name", "Ann"}, {"username", "ann"}}},
           {"message", {{"message_id", message}, {"chat", {{"id", chat}}}}},
           {"data", data}}}});
  }
  /// @ann has written; `reply_to` 0: to nothing.
  void write(std::int64_t chat, const std::string& text, std::int64_t reply_to = 0) {
    Json message = {{"message_id", 9'000}, {"chat", {{"id", chat}}}, {"text", text}};
    message["from"] = {{"id", 7}, {"username", "ann"}};
    if (reply_to != 0) message["reply_to_message"] = {{"message_id", reply_to}, {"chat", {{"id", chat}}}};
    say({{"message", message}});
  }
  /// The next call of that method gets this answer (status line's number and body).
  void fail_next(const std::string& method, int status, const Json& body) {
    const std::lock_guard lock(mutex_);
    failures_[method].push_back({status, body.dump()});
  }
  /// From now on updates come again and again, whatever was asked for.
  void repeat_updates(bool repeat) {
    const std::lock_guard lock(mutex_);
    repeat_ = repeat;
    changed_.notify_all();
  }

  /// Calls of a method that were answered well, in order.
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

  void accept_all() {
    for (;;) {
      pollfd look[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
      if (::poll(look, 2, -1) < 0) continue;
      if (look[1].revents != 0) return;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      const std::lock_guard lock(mutex_);
      open_.push_back(connection);
      serving_.emplace_back([this, connection] { serve(connection); });
    }
  }

  void serve(int connection) {
    const std::string request = read_request(connection);
    const std::size_t head = request.find("\r\n\r\n");
    if (head != std::string::npos) {
      const std::string path = request.substr(5, request.find(' ', 5) - 5);
      const auto [status, body] = answer(path, Json::parse(request.substr(head + 4), nullptr, false));
      const std::string text =
          "HTTP/1.1 " + std::to_string(status) +
          " X\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\nConnection: close\r\n\r\n" + body;
      (void)!::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    }
    const std::lock_guard lock(mutex_);
    std::erase(open_, connection);
    ::close(connection);
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

  static std::string read_request(int connection) {
    std::string request;
    char bytes[4096];
    for (;;) {
      const std::size_t head = request.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t at = request.find("Content-Length: ");
        const std::size_t length = at == std::string::npos ? 0 : std::stoul(request.substr(at + 16));
        if (request.size() >= head + 4 + length) return request;
      }
      const ssize_t size = ::recv(connection, bytes, sizeof bytes, 0);
      if (size <= 0) return {};
      request.append(bytes, static_cast<std::size_t>(size));
    }
  }

  const std::string token_;
  int listener_ = -1, port_ = 0;
  int wake_[2] = {-1, -1};
  mutable std::mutex mutex_;  // of everything below but the threads
  std::condition_variable changed_;
  std::vector<Json> updates_;
  std::vector<Call> calls_, failed_;
  std::map<std::string, std::deque<Failure>> failures_;
  std::int64_t last_message_ = 500;
  bool repeat_ = false, stopping_ = false;
  std::vector<int> open_;
  std::vector<std::jthread> serving_;
  std::jthread accepting_;
};

}  // namespace luzia
