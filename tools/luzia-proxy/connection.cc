#include "tools/luzia-proxy/connection.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "adapters/launcher/host_record.h"
#include "engine/base/public_address.h"

namespace luzia {
namespace {

constexpr std::uint64_t kHeadMs = 30'000, kConnectMs = 20'000, kSilenceMs = 3'600'000, kHalfOpenMs = 60'000;
constexpr std::size_t kMostAddresses = 8;

template <class Handle>
Connection* owner(Handle* handle) {
  return static_cast<Connection*>(handle->data);
}

socklen_t size_of(const sockaddr& address) {
  return address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

std::string address_words(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> words{};
  uv_ip_name(&address, words.data(), words.size());
  return words.data();
}

/// The address apart from the port.
bool is_same_address(const sockaddr& one, const sockaddr& other) {
  return one.sa_family == other.sa_family && address_words(one) == address_words(other);
}

bool is_own_address(const sockaddr& address) {
  uv_interface_address_t* own = nullptr;
  int count = 0;
  if (uv_interface_addresses(&own, &count) != 0) return true;  // nothing is known: nothing is permitted
  const bool found = std::any_of(own, own + count, [&address](const uv_interface_address_t& each) {
    return is_same_address(reinterpret_cast<const sockaddr&>(each.address), address);
  });
  uv_free_interface_addresses(own, count);
  return found;
}

/// A listed name may resolve to whatever its owner likes, so only public addresses of others are permitted,
/// and those that the list itself names.
bool is_permitted(const std::vector<HostRule>& rules, const sockaddr& address, std::uint16_t port) {
  const auto named = parse_host_port("[" + address_words(address) + "]", port);
  const auto four = parse_host_port(address_words(address), port);
  if ((named && allows(rules, *named)) || (four && allows(rules, *four))) return true;
  return is_public_address(address) && !is_own_address(address);
}

void set_port(sockaddr_storage& address, std::uint16_t port) {
  // The port is at the same place in both.
  reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
}

/// A text that is being sent.
struct Sending {
  uv_write_t write = {};
  std::string text;
  bool then_close = false;
};

}  // namespace

void Connection::accept(uv_stream_t* listener, ProxyPolicy& policy) {
  auto* connection = new Connection(listener->loop, policy);
  auto* client = reinterpret_cast<uv_stream_t*>(&connection->client_);
  if (uv_accept(listener, client) != 0) return connection->close();
  connection->wait_at_most(kHeadMs);
  if (policy.connections > ProxyPolicy::kMostConnections)
    return connection->refuse("503 Service Unavailable", "too many connections at a time");
  connection->read_from(connection->up_);
}

Connection::Connection(uv_loop_t* loop, ProxyPolicy& policy) : policy_(policy) {
  ++policy_.connections;
  uv_tcp_init(loop, &client_);
  uv_tcp_init(loop, &server_);
  uv_timer_init(loop, &timer_);
  client_.data = server_.data = timer_.data = lookup_.data = connecting_.data = this;
  up_.of = down_.of = this;
  up_.from = down_.to = reinterpret_cast<uv_stream_t*>(&client_);
  up_.to = down_.from = reinterpret_cast<uv_stream_t*>(&server_);
  for (Way* way : {&up_, &down_}) way->write.data = way->shutdown.data = way;
}

Connection::~Connection() {
  --policy_.connections;
}

void Connection::wait_at_most(std::uint64_t ms) {
  if (closing_) return;
  uv_timer_start(
      &timer_, [](uv_timer_t* timer) { owner(timer)->close(); }, ms, 0);
}

void Connection::read_from(Way& way) {
  if (closing_) return;
  const auto give = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    Connection* self = owner(handle);
    Way& of = handle == reinterpret_cast<uv_handle_t*>(&self->client_) ? self->up_ : self->down_;
    *buffer = uv_buf_init(of.bytes.data(), static_cast<unsigned>(of.bytes.size()));
  };
  const auto take = [](uv_stream_t* stream, ssize_t size, const uv_buf_t*) {
    Connection* self = owner(stream);
    self->passed(stream == self->up_.from ? self->up_ : self->down_, size);
  };
  if (uv_read_start(way.from, give, take) != 0) close();
}

void Connection::passed(Way& way, ssize_t size) {
  if (size == 0) return;
  const bool is_head = &way == &up_ && request_.target.port == 0;
  if (size < 0) return size == UV_EOF && !is_head ? end_way(way) : close();
  if (is_head) return read_head({way.bytes.data(), static_cast<std::size_t>(size)});
  if (way.drops) return;
  wait_at_most(up_.over || down_.over ? kHalfOpenMs : kSilenceMs);
  policy_.book.moved(number_, static_cast<std::uint64_t>(size));
  uv_read_stop(way.from);
  const uv_buf_t buffer = uv_buf_init(way.bytes.data(), static_cast<unsigned>(size));
  const auto written = [](uv_write_t* write, int status) {
    Way& of = *static_cast<Way*>(write->data);
    status == 0 ? of.of->read_from(of) : of.of->close();
  };
  if (uv_write(&way.write, way.to, &buffer, 1, written) != 0) close();
}

void Connection::end_way(Way& way) {
  way.over = true;
  uv_read_stop(way.from);
  if (up_.over && down_.over) return close();
  wait_at_most(way.drops ? kSilenceMs : kHalfOpenMs);
  if (way.drops) return;
  const auto shut = [](uv_shutdown_t* shutdown, int status) {
    if (status != 0) static_cast<Way*>(shutdown->data)->of->close();
  };
  if (uv_shutdown(&way.shutdown, way.to, shut) != 0) close();
}

void Connection::read_head(std::string_view bytes) {
  head_.append(bytes);
  const std::size_t size = head_size(head_);
  if (size > kMostHeadBytes || (size == 0 && head_.size() > kMostHeadBytes))
    return refuse("431 Request Header Fields Too Large", "a request may have 16 KiB of headers");
  if (size == 0) return;
  uv_read_stop(up_.from);
  auto request = parse_proxy_head(std::string_view(head_).substr(0, size));
  if (!request) return refuse(request.error().status, request.error().words);
  head_.erase(0, size);
  serve(std::move(*request));
}

void Connection::serve(ProxyRequest request) {
  request_ = std::move(request);
  if (!allows(policy_.rules, request_.target)) {
    policy_.book.contact(request_.target, host_record::kNotListed);
    return refuse("403 Forbidden", host_words(request_.target) + " is not in sandbox_network");
  }
  wait_at_most(kConnectMs);
  resolve();
}

void Connection::resolve() {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = request_.target.is_address ? AI_NUMERICHOST : AI_ADDRCONFIG;
  const auto found = [](uv_getaddrinfo_t* lookup, int status, addrinfo* all) {
    Connection* self = owner(lookup);
    if (!self->closing_) self->resolved(status, all);
    uv_freeaddrinfo(all);
    self->let_go();
  };
  ++held_;
  if (uv_getaddrinfo(client_.loop, &lookup_, found, request_.target.host.c_str(), nullptr, &hints) == 0)
    return;
  --held_;
  refuse("502 Bad Gateway", "names cannot be resolved now");
}

void Connection::resolved(int status, const addrinfo* found) {
  if (status != 0) {
    number_ = policy_.book.contact(request_.target, host_record::kAllowed);
    return refuse("502 Bad Gateway", "cannot resolve " + request_.target.host + ": " + uv_strerror(status));
  }
  take_permitted(found);
  if (addresses_.empty()) {
    policy_.book.contact(request_.target, host_record::kPrivate);
    return refuse("403 Forbidden", host_words(request_.target) +
                                       " is an address of this machine or of a private network; "
                                       "sandbox_network must name that address too");
  }
  number_ = policy_.book.contact(request_.target, host_record::kAllowed);
  connect_next();
}

void Connection::take_permitted(const addrinfo* found) {
  for (; found != nullptr && addresses_.size() < kMostAddresses; found = found->ai_next) {
    const bool is_ip = found->ai_family == AF_INET || found->ai_family == AF_INET6;
    if (!is_ip || !is_permitted(policy_.rules, *found->ai_addr, request_.target.port)) continue;
    sockaddr_storage& address = addresses_.emplace_back();
    std::memcpy(&address, found->ai_addr, size_of(*found->ai_addr));
    set_port(address, request_.target.port);
  }
}

void Connection::connect_next() {
  if (tried_ == addresses_.size())
    return refuse("502 Bad Gateway", "cannot connect to " + host_words(request_.target));
  const auto& address = reinterpret_cast<const sockaddr&>(addresses_[tried_++]);
  const auto done = [](uv_connect_t* connecting, int status) {
    Connection* self = owner(connecting);
    if (self->closing_) return;
    if (status == 0) return self->connected();
    // A handle connects once: the next address gets another.
    self->has_server_ = false;
    uv_close(reinterpret_cast<uv_handle_t*>(&self->server_), [](uv_handle_t* handle) {
      Connection* of = owner(handle);
      if (of->closing_) return of->let_go();
      uv_tcp_init(handle->loop, &of->server_);
      of->server_.data = of;
      of->has_server_ = true;
      of->connect_next();
    });
  };
  wait_at_most(kConnectMs);
  if (uv_tcp_connect(&connecting_, &server_, &address, done) != 0)
    refuse("502 Bad Gateway", "cannot connect to " + host_words(request_.target));
}

void Connection::connected() {
  uv_tcp_nodelay(&client_, 1);
  uv_tcp_nodelay(&server_, 1);
  policy_.book.connected(number_);
  begin_passing();
}

void Connection::begin_passing() {
  wait_at_most(kSilenceMs);
  if (request_.is_tunnel) {
    send(down_.to, "HTTP/1.1 200 Connection established\r\n\r\n", false);
    policy_.book.moved(number_, head_.size());
    if (!head_.empty()) send(up_.to, std::move(head_), false);
  } else {
    up_.drops = true;
    policy_.book.moved(number_, request_.head.size());
    send(up_.to, std::move(request_.head), false);
  }
  read_from(up_);
  read_from(down_);
}

void Connection::refuse(const char* status, const std::string& words) {
  if (closing_) return;
  uv_read_stop(up_.from);
  const std::string body = "luzia: " + words + "\n";
  send(down_.to,
       "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: text/plain\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body,
       true);
}

void Connection::send(uv_stream_t* to, std::string text, bool then_close) {
  if (closing_) return;
  auto* sending = new Sending{{}, std::move(text), then_close};
  sending->write.data = sending;
  const uv_buf_t buffer = uv_buf_init(sending->text.data(), static_cast<unsigned>(sending->text.size()));
  const auto sent = [](uv_write_t* write, int status) {
    auto* done = static_cast<Sending*>(write->data);
    if (status != 0 || done->then_close) owner(write->handle)->close();
    delete done;
  };
  if (uv_write(&sending->write, to, &buffer, 1, sent) == 0) return;
  delete sending;
  close();
}

void Connection::close() {
  if (std::exchange(closing_, true)) return;
  uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_));
  const auto closed = [](uv_handle_t* handle) { owner(handle)->let_go(); };
  uv_close(reinterpret_cast<uv_handle_t*>(&client_), closed);
  uv_close(reinterpret_cast<uv_handle_t*>(&timer_), closed);
  if (has_server_) uv_close(reinterpret_cast<uv_handle_t*>(&server_), closed);
}

void Connection::let_go() {
  if (--held_ == 0) delete this;
}

}  // namespace luzia
