#include "tools/luzia-web/local_user.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "engine/base/descriptor.h"

namespace luzia::web {
namespace {

struct Ask {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

/// An end of a connection, as inet_diag names it: an IPv4 address mapped to IPv6 is an IPv4 address.
struct End {
  std::array<unsigned char, 16> address{};
  std::uint16_t port = 0;  // in network order
  bool six = false;
  bool operator==(const End&) const = default;
};

End end_of(const sockaddr_storage& given) {
  End end;
  if (given.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &given, sizeof four);
    std::memcpy(end.address.data(), &four.sin_addr, sizeof four.sin_addr);
    end.port = four.sin_port;
    return end;
  }
  sockaddr_in6 six{};
  std::memcpy(&six, &given, sizeof six);
  end.six = !IN6_IS_ADDR_V4MAPPED(&six.sin6_addr);
  const std::size_t from = end.six ? 0 : 12;
  std::memcpy(end.address.data(), six.sin6_addr.s6_addr + from, sizeof six.sin6_addr.s6_addr - from);
  end.port = six.sin6_port;
  return end;
}

/// Only a client of this machine has an address that the server has too, or one of the loopback network.
bool is_here(const End& client, const End& server) {
  return client.address == server.address || (!client.six && client.address[0] == IN_LOOPBACKNET);
}

Ask ask_about(const End& client, const End& server) {
  Ask ask{};
  ask.head.nlmsg_len = sizeof ask;
  ask.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  ask.head.nlmsg_flags = NLM_F_REQUEST;
  ask.body.sdiag_family = client.six ? AF_INET6 : AF_INET;
  ask.body.sdiag_protocol = IPPROTO_TCP;
  ask.body.idiag_states = ~0U;
  ask.body.id.idiag_sport = client.port;
  ask.body.id.idiag_dport = server.port;
  std::memcpy(ask.body.id.idiag_src, client.address.data(), client.address.size());
  std::memcpy(ask.body.id.idiag_dst, server.address.data(), server.address.size());
  ask.body.id.idiag_cookie[0] = ask.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return ask;
}

}  // namespace

std::optional<unsigned> user_at_other_end(int fd) {
  sockaddr_storage peer{}, own{};
  socklen_t size = sizeof peer, own_size = sizeof own;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_size) != 0)
    return std::nullopt;
  const End client = end_of(peer), server = end_of(own);
  if (!is_here(client, server)) return std::nullopt;
  const Descriptor kernel(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  const Ask ask = ask_about(client, server);
  if (!kernel || ::send(kernel.get(), &ask, sizeof ask, 0) != static_cast<ssize_t>(sizeof ask))
    return std::nullopt;
  alignas(nlmsghdr) std::array<char, 1'024> answer{};
  const ssize_t got = ::recv(kernel.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  nlmsghdr head{};
  inet_diag_msg found{};
  if (got < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof found)) return std::nullopt;
  std::memcpy(&head, answer.data(), sizeof head);
  std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
  // A socket that its program has closed has no inode, and in older kernels the user 0.
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || found.idiag_inode == 0) return std::nullopt;
  return found.idiag_uid;
}

}  // namespace luzia::web
