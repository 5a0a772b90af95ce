// A web server for tests, on a thread of its own.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "engine/base/descriptor.h"
#include "tests/matchers.h"

namespace luzia {

/// A web server on this machine that answers each request with "hello".
class HelloServer {
 public:
  HelloServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~HelloServer() {
    over_ = true;
    thread_.join();
  }
  const std::string& port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + port_ + "/"; }

 private:
  void serve() const {
    while (!over_) {
      pollfd waiting{listener_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 50) != 1) continue;
      const Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::string request;
      char bytes[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t size = ::read(client.get(), bytes, sizeof bytes);
        if (size <= 0) break;
        request.append(bytes, static_cast<std::size_t>(size));
      }
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
      if (::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL) < 0) continue;
    }
  }

  Descriptor listener_;
  std::string port_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace luzia
