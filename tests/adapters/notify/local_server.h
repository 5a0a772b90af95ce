// An HTTP server on a free local port that answers as the test says. Each request has its own connection and
// thread, because some answers block.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace luzia {

class LocalServer {
 public:
  /// Returns the whole response to a request, from the status line on. If it is empty, the server sends
  /// nothing and keeps the connection open until its own end. Called on several threads at once; the
  /// destructor waits for them.
  using Answer = std::function<std::string(const std::string& request)>;

  explicit LocalServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool listens = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(listener_, 64) == 0;
    if (!listens) throw std::system_error(errno, std::generic_category(), "a local server");
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    [[maybe_unused]] const int made = ::pipe(wake_);
    accepting_ = std::jthread([this] { accept_all(); });
  }
  ~LocalServer() {
    ::close(wake_[1]);
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    serving_.clear();
    for (const int fd : open_) ::close(fd);
    for (const int fd : {listener_, wake_[0]}) ::close(fd);
  }
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  std::string url(const std::string& path = {}) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  int port() const { return port_; }

 private:
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
    const std::string answer = request.empty() ? std::string() : answer_(request);
    if (!request.empty() && answer.empty()) return;
    std::size_t sent = 0;
    while (sent < answer.size()) {
      const ssize_t size = ::send(connection, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) break;
      sent += static_cast<std::size_t>(size);
    }
    const std::lock_guard lock(mutex_);
    std::erase(open_, connection);
    ::close(connection);
  }

  /// Empty if the client closed the connection before the whole request had arrived.
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

  const Answer answer_;
  int listener_ = -1, port_ = 0;
  int wake_[2] = {-1, -1};
  std::mutex mutex_;
  std::vector<int> open_;  // guarded by mutex_ until the threads have ended
  std::vector<std::jthread> serving_;
  std::jthread accepting_;
};

}  // namespace luzia
