#include "engine/base/public_address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace luzia {
namespace {

struct Network {
  std::uint32_t address;
  unsigned bits;
};

constexpr std::uint32_t octets(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return a << 24U | b << 16U | c << 8U;
}

constexpr std::array<Network, 16> kSpecial = {{{octets(0, 0, 0), 8},
                                               {octets(10, 0, 0), 8},
                                               {octets(100, 64, 0), 10},
                                               {octets(127, 0, 0), 8},
                                               {octets(169, 254, 0), 16},
                                               {octets(172, 16, 0), 12},
                                               {octets(192, 0, 0), 24},
                                               {octets(192, 0, 2), 24},
                                               {octets(192, 31, 196), 24},
                                               {octets(192, 88, 99), 24},
                                               {octets(192, 168, 0), 16},
                                               {octets(198, 18, 0), 15},
                                               {octets(198, 51, 100), 24},
                                               {octets(203, 0, 113), 24},
                                               {octets(224, 0, 0), 4},
                                               {octets(240, 0, 0), 4}}};

bool is_public_v4(std::uint32_t address) {
  return std::ranges::none_of(kSpecial, [address](const Network& network) {
    return (address ^ network.address) >> (32 - network.bits) == 0;
  });
}

bool is_public_v6(const in6_addr& address) {
  const std::uint8_t* byte = address.s6_addr;
  const std::uint32_t end = static_cast<std::uint32_t>(byte[12]) << 24U |
                            static_cast<std::uint32_t>(byte[13]) << 16U |
                            static_cast<std::uint32_t>(byte[14]) << 8U | byte[15];
  constexpr std::array<std::uint8_t, 12> kTranslated = {0, 0x64, 0xff, 0x9b, 0, 0,
                                                        0, 0,    0,    0,    0, 0};  // NAT64
  if (IN6_IS_ADDR_V4MAPPED(&address) || std::equal(kTranslated.begin(), kTranslated.end(), byte))
    return is_public_v4(end);
  if ((byte[0] & 0xe0U) != 0x20) return false;                                 // 2000::/3 alone is global
  const bool is_protocol = byte[0] == 0x20 && byte[1] == 0x01 && byte[2] < 2;  // 2001::/23
  const bool is_example =
      byte[0] == 0x20 && byte[1] == 0x01 && byte[2] == 0x0d && byte[3] == 0xb8;        // 2001:db8::/32
  const bool is_tunnel = byte[0] == 0x20 && byte[1] == 0x02;                           // 6to4
  const bool is_other_example = byte[0] == 0x3f && byte[1] == 0xff && byte[2] < 0x10;  // 3fff::/20
  return !is_protocol && !is_example && !is_tunnel && !is_other_example;
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return is_public_v4(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  return address.sa_family == AF_INET6 &&
         is_public_v6(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

}  // namespace luzia
