#include "engine/base/ssh_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace luzia {
namespace {

struct Read {
  std::string destination, store;
  int port = 0;
  bool operator==(const Read&) const = default;
};

Read read(const std::string& text) {
  const auto route = parse_ssh_route(text);
  EXPECT_TRUE(route.has_value()) << text << ": " << (route ? "" : route.error().message);
  return route ? Read{route->destination, route->store, route->port} : Read{};
}

TEST(SshRoute, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(read("build2"), (Read{"build2", "", 0}));
  EXPECT_EQ(read("ana@build2.example.org"), (Read{"ana@build2.example.org", "", 0}));
  EXPECT_EQ(read("ana@corp.example@build2"), (Read{"ana@corp.example@build2", "", 0}));
  EXPECT_EQ(read("ssh://build2"), (Read{"build2", "", 0}));
  EXPECT_EQ(read("ssh://ana@build2:2222"), (Read{"ana@build2", "", 2222}));
  EXPECT_EQ(read("ssh://ana@build2/"), (Read{"ana@build2", "", 0}));
  EXPECT_EQ(read("ssh://ana@build2:22/srv/my store"), (Read{"ana@build2", "/srv/my store", 22}));
  EXPECT_EQ(read("ssh://ana@[2001:db8::1]:22"), (Read{"ana@2001:db8::1", "", 22}));
  EXPECT_EQ(read("ssh://[::1]/s"), (Read{"::1", "/s", 0}));
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
