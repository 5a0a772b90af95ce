#include "bench/harness/plain_server.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "bench/harness/driving.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kMostOpen = 512;
constexpr int kWaiting = 128;
constexpr int kLookMs = 50;  // until it notices that it is to end
constexpr double kKeptSeconds = 1;

void watch(int events, int socket) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = socket;
  if (epoll_ctl(events, EPOLL_CTL_ADD, socket, &wanted) != 0) give_up("cannot watch a socket");
}

}  // namespace

PlainServer::PlainServer(Refused refused)
    : refused_(refused),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener_ || !events_ || ::bind(listener_.get(), any, size) != 0 ||
      ::listen(listener_.get(), kWaiting) != 0 || ::getsockname(listener_.get(), any, &size) != 0)
    give_up("cannot listen at 127.0.0.1");
  port_ = ntohs(address.sin_port);
  watch(events_.get(), listener_.get());
  thread_ = std::jthread([this](const std::stop_token& stopped) { serve(stopped); });
}

PlainServer::~PlainServer() {
  thread_.request_stop();
  thread_.join();
  for (const int connection : open_) ::close(connection);
}

void PlainServer::serve(const std::stop_token& stopped) {
  std::array<epoll_event, 256> ready{};
  while (!stopped.stop_requested()) {
    const int count = epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), kLookMs);
    close_kept(now_seconds());
    for (int i = 0; i < count; ++i) {
      const int socket = ready[static_cast<std::size_t>(i)].data.fd;
      if (socket == listener_.get()) {
        take_connections();
      } else {
        read_from(socket);
      }
    }
  }
}

void PlainServer::take_connections() {
  for (;;) {
    const int connection = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return;
    if (open_.size() == kMostOpen) {
      ::close(connection);
      continue;
    }
    open_.insert(connection);
    watch(events_.get(), connection);
  }
}

void PlainServer::read_from(int connection) {
  std::array<char, 4096> bytes;
  const ssize_t size = ::recv(connection, bytes.data(), bytes.size(), 0);
  if (size > 0 && !std::string_view(bytes.data(), static_cast<std::size_t>(size)).starts_with("POST")) return;
  if (size > 0 && refused_ == Refused::kept) return keep(connection);
  ::close(connection);
  open_.erase(connection);
}

void PlainServer::keep(int connection) {
  constexpr std::string_view kAnswer = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
  epoll_ctl(events_.get(), EPOLL_CTL_DEL, connection, nullptr);
  ::send(connection, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  kept_.emplace_back(now_seconds() + kKeptSeconds, connection);
}

void PlainServer::close_kept(double now) {
  for (; !kept_.empty() && kept_.front().first <= now; kept_.pop_front()) {
    ::close(kept_.front().second);
    open_.erase(kept_.front().second);
  }
}

}  // namespace luzia::bench
