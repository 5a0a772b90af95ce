// Whose program connects, by real sockets of this machine.
#include "tools/luzia-web/local_user.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "engine/base/descriptor.h"

namespace luzia::web {
namespace {

constexpr unsigned kAccount = 61'001;

/// A server, a client that has connected to it, and the server's end of that.
struct Connected {
  Descriptor server, client, accepted;
};

sockaddr_storage loopback(bool six, std::uint16_t port) {
  sockaddr_storage place{};
  sockaddr_in four{};
  sockaddr_in6 whole{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  four.sin_port = port;
  whole.sin6_family = AF_INET6;
  whole.sin6_addr = in6addr_loopback;
  whole.sin6_port = port;
  if (six) {
    std::memcpy(&place, &whole, sizeof whole);
  } else {
    std::memcpy(&place, &four, sizeof four);
  }
  return place;
}

/// `dual`: a server of both kinds of addresses and a client by IPv4, whose address it sees as
/// ::ffff:127.0.0.1.
Connected connected(bool six, bool dual, unsigned account) {
  Connected all;
  all.server.reset(::socket(six || dual ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  all.client.reset(::socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int off = 0;
  if (dual) ::setsockopt(all.server.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (account != ::geteuid()) {
    EXPECT_EQ(::fchown(all.client.get(), account, account), 0);
  }
  sockaddr_storage place = loopback(six || dual, 0);
  if (dual) {
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    std::memcpy(&place, &any, sizeof any);
  }
  socklen_t size = six || dual ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  EXPECT_EQ(::bind(all.server.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
  EXPECT_EQ(::listen(all.server.get(), 1), 0);
  EXPECT_EQ(::getsockname(all.server.get(), reinterpret_cast<sockaddr*>(&place), &size), 0);
  sockaddr_in6 bound{};
  std::memcpy(&bound, &place, sizeof bound);  // both kinds have the port at the same place
  const sockaddr_storage to = loopback(six, bound.sin6_port);
  size = six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  EXPECT_EQ(::connect(all.client.get(), reinterpret_cast<const sockaddr*>(&to), size), 0);
  all.accepted.reset(::accept4(all.server.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return all;
}

/// Root can be anybody's account.
unsigned other_account() {
  return ::geteuid() == 0 ? kAccount : ::geteuid();
}

TEST(LocalUser, IsTheAccountOfTheConnectingSocket) {
  for (const unsigned account : {static_cast<unsigned>(::geteuid()), other_account()}) {
    EXPECT_EQ(user_at_other_end(connected(false, false, account).accepted.get()), account);
    EXPECT_EQ(user_at_other_end(connected(false, true, account).accepted.get()), account);
    EXPECT_EQ(user_at_other_end(connected(true, false, account).accepted.get()), account);
  }
}

TEST(LocalUser, IsUnknownOnceTheProgramHasLeft) {
  Connected all = connected(false, false, other_account());
  all.client.reset();
  EXPECT_EQ(user_at_other_end(all.accepted.get()), std::nullopt) << "no account, in particular not root";
}

TEST(LocalUser, IsUnknownOfWhatIsNoConnection) {
  const Descriptor alone(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(user_at_other_end(alone.get()), std::nullopt);
  EXPECT_EQ(user_at_other_end(-1), std::nullopt);
}

}  // namespace
}  // namespace luzia::web
