// A small HTTP server on a free port of this machine: remembers requests and answers as told. One connection
// at a time, each for one request.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace luzia {

class HttpServer {
 public:
  /// `answer`: everything after the request has been read, from the status line on; empty: none, and the
  /// connection stays open until the end.
  explicit HttpServer(std::string answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 16);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    [[maybe_unused]] const int made = ::pipe(wake_);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    ::close(wake_[1]);
    thread_.join();
    for (const int fd : {listener_, wake_[0]}) ::close(fd);
    for (const int fd : kept_) ::close(fd);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& path = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  int port() const { return port_; }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (;;) {
      pollfd look[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
      if (::poll(look, 2, -1) < 0) continue;
      if (look[1].revents != 0) return;
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      std::string request = read_request(connection);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
      }
      if (answer_.empty()) {
        kept_.push_back(connection);
        continue;
      }
      std::size_t sent = 0;
      while (sent < answer_.size()) {
        const ssize_t size = ::send(connection, answer_.data() + sent, answer_.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) break;
        sent += static_cast<std::size_t>(size);
      }
      ::close(connection);
    }
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
      if (size <= 0) return request;
      request.append(bytes, static_cast<std::size_t>(size));
    }
  }

  std::string answer_;
  int listener_ = -1;
  int port_ = 0;
  int wake_[2] = {-1, -1};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;  // under mutex_
  std::vector<int> kept_;
  std::thread thread_;
};

}  // namespace luzia
