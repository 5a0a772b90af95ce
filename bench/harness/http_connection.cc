#include "bench/harness/http_connection.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>

#include "bench/harness/driving.h"

namespace luzia::bench {

Descriptor connect_to(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

HttpConnection::HttpConnection(std::uint16_t port) : port_(port), socket_(connect_to(port)) {
  if (!socket_) give_up("nothing listens at port " + std::to_string(port));
}

std::string HttpConnection::ask(const std::string& path, const std::string& token, const std::string& body,
                                int status) {
  std::string request = (body.empty() ? "GET " : "POST ") + path +
                        " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  if (!token.empty()) request += "Authorization: Bearer " + token + "\r\n";
  if (!body.empty())
    request += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  if (!write_fully(socket_.get(), request + "\r\n" + body)) give_up("luzia-web takes no request for " + path);
  constexpr std::string_view kEnd = "\r\n\r\n", kLength = "\r\nContent-Length: ";
  received_.clear();
  std::size_t end = std::string::npos;
  while ((end = received_.find(kEnd)) == std::string::npos) receive();
  const std::size_t at = received_.find(kLength);
  std::size_t length = 0;
  if (at < end) std::from_chars(&received_[at + kLength.size()], received_.data() + end, length);
  while (received_.size() < end + kEnd.size() + length) receive();
  if (received_.compare(0, 13, "HTTP/1.1 " + std::to_string(status) + " ") != 0)
    give_up(path + " was answered with " + received_.substr(0, received_.find('\r')));
  return received_.substr(end + kEnd.size());
}

void HttpConnection::receive() {
  char piece[64 << 10];
  const ssize_t size = ::recv(socket_.get(), piece, sizeof piece, 0);
  if (size <= 0) give_up("luzia-web has closed a connection");
  received_.append(piece, static_cast<std::size_t>(size));
}

}  // namespace luzia::bench
