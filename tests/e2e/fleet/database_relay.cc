#include "tests/e2e/fleet/database_relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include "tests/wait_until.h"

namespace luzia {
namespace {

constexpr std::size_t kRelayBytes = 16 << 10;

/// Connected to the server; without a value: it does not answer.
Descriptor connected_to(const std::string& path) {
  Descriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const bool answers =
      ::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!answers) server.reset();
  return server;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

DatabaseRelay::DatabaseRelay(const std::string& folder)
    : socket_(folder + "/.s.PGSQL.5432"),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const bound = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener_.get(), bound, size), 0);
  EXPECT_EQ(::listen(listener_.get(), SOMAXCONN), 0);
  EXPECT_EQ(::getsockname(listener_.get(), bound, &size), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this] { run(); });
}

DatabaseRelay::~DatabaseRelay() {
  over_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void DatabaseRelay::set(Network network) {
  left_ = ~std::uint64_t{0};
  wanted_ = network;
  ::eventfd_write(wake_.get(), 1);
  EXPECT_TRUE(wait_until([&] { return network_ == network; }));
}

void DatabaseRelay::obey(Network network) {
  if (network == Network::cut) ways_.clear();
  if (network == Network::half_open) {
    for (Way& way : ways_) way.server.reset();
  }
  network_ = network;
}

/// While the network is cut, a connection ends as soon as it begins.
void DatabaseRelay::admit() {
  Way way{Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)), Descriptor()};
  if (!way.client || network_ == Network::cut) return;
  if (network_ != Network::half_open) {
    way.server = connected_to(socket_);
    if (!way.server) return;
  }
  ways_.push_back(std::move(way));
}

/// False: the connection is over.
bool DatabaseRelay::pass(int from, int to, bool to_server) {
  std::array<char, kRelayBytes> bytes;
  const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
  if (got <= 0) return got < 0 && errno == EINTR;
  auto count = static_cast<std::size_t>(got);
  if (!to_server) return send_all(to, {bytes.data(), count});
  const bool is_last = left_ <= count;
  if (is_last) count = static_cast<std::size_t>(left_.load());
  if (left_ != ~std::uint64_t{0}) left_ -= count;
  const bool sent = send_all(to, {bytes.data(), count});
  passed_ += count;
  if (is_last) wanted_ = Network::cut;
  return sent;
}

void DatabaseRelay::run() {
  while (!over_) {
    std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    const bool moves = network_ == Network::open;
    for (const Way& way : ways_) {
      // What is not to be looked at has a negative descriptor.
      polled.push_back({moves && way.server ? way.client.get() : -1, POLLIN, 0});
      polled.push_back({moves && way.server ? way.server.get() : -1, POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    std::size_t at = 2;
    for (auto way = ways_.begin(); way != ways_.end(); at += 2) {
      const bool lives = (polled[at].revents == 0 || pass(way->client.get(), way->server.get(), true)) &&
                         (polled[at + 1].revents == 0 || pass(way->server.get(), way->client.get(), false));
      way = lives ? std::next(way) : ways_.erase(way);
    }
    if (polled[1].revents != 0) admit();
    eventfd_t ignored = 0;
    if (polled[0].revents != 0) ::eventfd_read(wake_.get(), &ignored);
    if (const Network wanted = wanted_; wanted != network_) obey(wanted);
  }
}

}  // namespace luzia
