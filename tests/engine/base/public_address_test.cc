// Which addresses count as public.
#include "engine/base/public_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/un.h>

#include <string>

namespace luzia {
namespace {

bool is_public(const std::string& text) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1)
    return is_public_address(reinterpret_cast<const sockaddr&>(four));
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr), 1) << text;
  return is_public_address(reinterpret_cast<const sockaddr&>(six));
}

TEST(PublicAddress, AddressesOfTheInternetArePublic) {
  for (const char* address :
       {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
        "172.32.0.0", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1",
        "2a00:1450::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"})
    EXPECT_TRUE(is_public(address)) << address;
}

TEST(PublicAddress, ThisMachineAndPrivateNetworksAreNot) {
  for (const char* address :
       {"0.0.0.0",     "10.0.0.1",        "10.255.255.255", "100.64.0.1",     "100.127.255.255", "127.0.0.1",
        "127.255.0.1", "169.254.169.254", "172.16.0.1",     "172.31.255.255", "192.0.0.8",       "192.0.2.1",
        "192.168.1.1", "198.18.0.1",      "198.19.255.255", "198.51.100.7",   "203.0.113.9",     "224.0.0.1",
        "239.1.2.3",   "240.0.0.1",       "255.255.255.255"})
    EXPECT_FALSE(is_public(address)) << address;
  for (const char* address : {"::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
                              "2001::1", "2002:7f00:1::1", "3fff::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3",
                              "64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "100::1", "::127.0.0.1"})
    EXPECT_FALSE(is_public(address)) << address;
}

TEST(PublicAddress, OtherFamiliesAreNot) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  EXPECT_FALSE(is_public_address(reinterpret_cast<const sockaddr&>(local)));
}

}  // namespace
}  // namespace luzia
