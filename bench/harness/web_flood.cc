#include "bench/harness/web_flood.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "bench/harness/driving.h"
#include "bench/harness/http_connection.h"

namespace luzia::bench {
namespace {

constexpr int kStepMs = 10;
constexpr int kReopened = 20;       // per step, so 2,000 a second
constexpr double kByteEvery = 0.1;  // seconds, of a slow head
constexpr int kOwnFiles = 200;

std::string head_of_flood(FloodKind kind, std::uint16_t port) {
  const std::string host = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n";
  switch (kind) {
    case FloodKind::slow_heads:
      return "GET /v1/jobs" + host + "X-Filler: ";
    case FloodKind::idle:
      return {};
    case FloodKind::bodies:
      return "POST /v1/jobs" + host + "Content-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n";
  }
  return {};
}

}  // namespace

WebFlood::WebFlood(std::uint16_t port, FloodKind kind, int connections)
    : port_(port),
      kind_(kind),
      head_(head_of_flood(kind, port)),
      filler_(64 << 10, 'x'),
      sockets_(static_cast<std::size_t>(connections)),
      missing_(sockets_.size()),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  std::iota(missing_.begin(), missing_.end(), std::size_t{0});
  open_missing(connections);
  thread_ = std::jthread([this](const std::stop_token& stopped) { flood(stopped); });
}

WebFlood::~WebFlood() {
  stop();
}

int WebFlood::most_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kEnough = 1'000'000;
  return static_cast<int>(std::min(limit.rlim_cur, kEnough)) - kOwnFiles;
}

void WebFlood::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  sockets_.clear();
}

void WebFlood::flood(const std::stop_token& stopped) {
  // Only when nothing else of the benchmark wants to. Under chrt that is the lowest real-time priority:
  // otherwise the other work of the machine, which chrt keeps out, would keep the attackers out too.
  const bool real_time = sched_getscheduler(0) == SCHED_RR;
  sched_param lowest{};
  lowest.sched_priority = real_time ? sched_get_priority_min(SCHED_RR) : 0;
  pthread_setschedparam(pthread_self(), real_time ? SCHED_RR : SCHED_IDLE, &lowest);
  std::vector<epoll_event> ready(256);
  double next_byte = now_seconds();
  while (!stopped.stop_requested()) {
    const int count = epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), kStepMs);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = ready[static_cast<std::size_t>(i)];
      look_at(event.events, event.data.u64);
    }
    open_missing(kReopened);
    if (kind_ != FloodKind::slow_heads || now_seconds() < next_byte) continue;
    next_byte = now_seconds() + kByteEvery;
    for (Descriptor& socket : sockets_) {
      if (socket) ::send(socket.get(), filler_.data(), 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  }
}

void WebFlood::open_missing(int most) {
  for (; most > 0 && !missing_.empty(); --most) {
    const std::size_t at = missing_.back();
    Descriptor socket = connect_to(port_);
    if (!socket) return;  // the server takes no more at the moment
    fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    ::send(socket.get(), head_.data(), head_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    epoll_event wanted{};
    wanted.events = EPOLLIN | EPOLLRDHUP | (kind_ == FloodKind::bodies ? EPOLLOUT : 0U);
    wanted.data.u64 = at;
    epoll_ctl(events_.get(), EPOLL_CTL_ADD, socket.get(), &wanted);
    sockets_[at] = std::move(socket);
    missing_.pop_back();
    ++opened_;
  }
}

void WebFlood::look_at(std::uint32_t happened, std::size_t at) {
  Descriptor& socket = sockets_[at];
  bool closed = (happened & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0;
  char answer[4096];
  if (!closed && (happened & EPOLLIN) != 0)
    closed = ::recv(socket.get(), answer, sizeof answer, MSG_DONTWAIT) == 0;
  if (!closed && (happened & EPOLLOUT) != 0)
    closed = ::send(socket.get(), filler_.data(), filler_.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
             errno != EAGAIN;
  if (!closed) return;
  socket.reset();
  missing_.push_back(at);
}

}  // namespace luzia::bench
