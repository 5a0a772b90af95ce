#include "engine/base/ssh_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace luzia {
namespace {

struct RouteRead {
  std::string destination, store;
  int port = 0;
  bool operator==(const RouteRead&) const = default;
};

RouteRead read_route(const std::string& text) {
  const auto route = parse_ssh_route(text);
  EXPECT_TRUE(route.has_value()) << text << ": " << (route ? "" : route.error().message);
  return route ? RouteRead{route->destination, route->store, route->port} : RouteRead{};
}

TEST(SshRoute, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(read_route("build2"), (RouteRead{"build2", "", 0}));
  EXPECT_EQ(read_route("ana@build2.example.org"), (RouteRead{"ana@build2.example.org", "", 0}));
  EXPECT_EQ(read_route("ana@corp.example@build2"), (RouteRead{"ana@corp.example@build2", "", 0}));
  EXPECT_EQ(read_route("ssh://build2"), (RouteRead{"build2", "", 0}));
  EXPECT_EQ(read_route("ssh://ana@build2:2222"), (RouteRead{"ana@build2", "", 2222}));
  EXPECT_EQ(read_route("ssh://ana@build2/"), (RouteRead{"ana@build2", "", 0}));
  EXPECT_EQ(read_route("ssh://ana@build2:22/srv/my store"), (RouteRead{"ana@build2", "/srv/my store", 22}));
  EXPECT_EQ(read_route("ssh://ana@[2001:db8::1]:22"), (RouteRead{"ana@2001:db8::1", "", 22}));
  EXPECT_EQ(read_route("ssh://[::1]/s"), (RouteRead{"::1", "/s", 0}));
}

TEST(SshRoute, NothingThatSshOrAShellWouldTakeForMore) {
  for (const std::string text : {"",
                                 "-oProxyCommand=id",
                                 "ana@-oProxyCommand=id",
                                 "-l@host",
                                 "host name",
                                 "host;id",
                                 "$(id)",
                                 "`id`",
                                 "host\nname",
                                 "ho'st",
                                 "a b@host",
                                 "an$a@host",
                                 "@host",
                                 "ana@",
                                 "ssh://",
                                 "ssh:///store",
                                 "ssh://host:",
                                 "ssh://host:0",
                                 "ssh://host:65536",
                                 "ssh://host:x",
                                 "ssh://-oProxyCommand=id",
                                 "ssh://a@[::1",
                                 "ssh://host/a\tb",
                                 "host:22",
                                 "%h",
                                 "ssh://[a b]",
                                 "höst"}) {
    const auto route = parse_ssh_route(text);
    ASSERT_FALSE(route.has_value()) << text;
    EXPECT_EQ(route.error().code, "bad_destination");
    EXPECT_EQ(route.error().kind, ErrorKind::usage);
    EXPECT_EQ(route.error().message.find_first_of("\n\t"), std::string::npos);
  }
  EXPECT_FALSE(parse_ssh_route(std::string(1 << 20, 'a')).has_value());
}

}  // namespace
}  // namespace luzia
