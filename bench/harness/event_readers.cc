#include "bench/harness/event_readers.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "bench/harness/driving.h"
#include "bench/harness/event_load.h"
#include "bench/harness/http_connection.h"

namespace luzia::bench {
namespace {

constexpr int kStreamsOfDevice = 16;  // what luzia-web allows
constexpr int kLookEveryMs = 50;
constexpr double kPatience = 10;  // seconds
constexpr std::string_view kId = "id: ", kData = "data: ", kTime = "\"time_us\":";

/// The number that begins the text; 0: none does.
template <class Number>
Number leading_number(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string stream_request(std::uint16_t port, const std::string& token) {
  // A connection that closes has no chunks between the lines.
  return "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\nAuthorization: Bearer " +
         token + "\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n";
}

template <class Check>
bool holds_soon(Check check) {
  for (const double end = now_seconds() + kPatience; !check();) {
    if (now_seconds() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookEveryMs));
  }
  return true;
}

}  // namespace

EventReaders::EventReaders(const WebSubject& web, int count)
    : readers_(static_cast<std::size_t>(count)), events_(epoll_create1(EPOLL_CLOEXEC)) {
  std::string token;
  for (int i = 0; i < count; ++i) {
    if (i % kStreamsOfDevice == 0) {
      token = web.pair();
      // From then on luzia-web knows the device; else each of its streams has the daemon look it up.
      HttpConnection(web.port()).ask("/v1/me", token, "", 200);
    }
    Reader& reader = readers_[static_cast<std::size_t>(i)];
    reader.socket = connect_to(web.port());
    if (!reader.socket || !write_fully(reader.socket.get(), stream_request(web.port(), token)))
      give_up("luzia-web takes no reader number " + std::to_string(i + 1));
    fcntl(reader.socket.get(), F_SETFL, O_NONBLOCK);
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.ptr = &reader;
    epoll_ctl(events_.get(), EPOLL_CTL_ADD, reader.socket.get(), &wanted);
  }
  thread_ = std::jthread([this](const std::stop_token& stopped) { read(stopped); });
  if (!holds_soon([&] { return begun_ == count; }))
    give_up("only " + std::to_string(begun_) + " of " + std::to_string(count) + " streams have begun");
}

void EventReaders::begin() {
  counts_ = true;
}

EventReaders::Result EventReaders::stop(std::uint64_t last) {
  behind_ = static_cast<int>(readers_.size());
  wanted_ = last;
  holds_soon([this] { return behind_ == 0; });
  thread_.request_stop();
  thread_.join();
  result_.behind = behind_;
  return result_;
}

void EventReaders::read(const std::stop_token& stopped) {
  std::vector<epoll_event> ready(readers_.size());
  while (!stopped.stop_requested()) {
    const int count = epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), kLookEveryMs);
    for (int i = 0; i < count; ++i)
      read_from(*static_cast<Reader*>(ready[static_cast<std::size_t>(i)].data.ptr));
    if (wanted_ > 0)
      behind_ = static_cast<int>(
          std::ranges::count_if(readers_, [&](const Reader& reader) { return reader.position < wanted_; }));
  }
}

void EventReaders::read_from(Reader& reader) {
  char piece[64 << 10];
  const ssize_t size = ::recv(reader.socket.get(), piece, sizeof piece, 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) give_up("luzia-web has ended a stream");
  reader.left.append(piece, static_cast<std::size_t>(size));
  std::size_t from = 0;
  for (std::size_t end = 0; (end = reader.left.find('\n', from)) != std::string::npos; from = end + 1)
    take_line(reader, std::string_view(reader.left).substr(from, end - from));
  reader.left.erase(0, from);
}

void EventReaders::take_line(Reader& reader, std::string_view line) {
  if (!reader.begun) {
    if (!line.starts_with("HTTP/1.1 200")) give_up("a stream was answered with " + std::string(line));
    reader.begun = true;
    ++begun_;
  }
  if (line.starts_with(kId)) reader.position = leading_number<std::uint64_t>(line.substr(kId.size()));
  const std::size_t at = line.starts_with(kData) ? line.find(kTime) : std::string_view::npos;
  if (at == std::string_view::npos || !counts_) return;
  const double late = seconds_since(leading_number<std::int64_t>(line.substr(at + kTime.size())));
  result_.late.add(late);
  result_.latest_s = std::max(result_.latest_s, late);
}

}  // namespace luzia::bench
