#include "adapters/socket/proxy_greeting.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

std::string greeting_text_of(const ProxyGreeting& greeting) {
  std::string line = greeting_line(greeting);
  EXPECT_LE(line.size(), kMostGreetingBytes);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line";
  line.pop_back();
  return line;
}

TEST(ProxyGreeting, ReadsBackAsWritten) {
  ProxyGreeting greeting{"1.2.3", 7, 1'800'000'000'000'000, 16, 130, {}};
  const auto good = parse_greeting(greeting_text_of(greeting));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->version, "1.2.3");
  EXPECT_EQ(good->protocol, 7U);
  EXPECT_EQ(good->clock, greeting.clock);
  EXPECT_EQ(good->slots, 16U);
  EXPECT_EQ(good->load_percent, 130U);
  EXPECT_FALSE(good->failed);
  greeting.failed = Error{ErrorKind::refused, "socket_refused", "two\nlines", "a=b\tc"};
  const auto failed = parse_greeting(greeting_text_of(greeting));
  ASSERT_TRUE(failed && failed->failed);
  EXPECT_EQ(failed->failed->kind, ErrorKind::refused);
  EXPECT_EQ(failed->failed->code, "socket_refused");
  EXPECT_EQ(failed->failed->message, "two lines");
  EXPECT_EQ(failed->failed->hint, "a=b c");
}

TEST(ProxyGreeting, LongErrorsStayWithinTheLine) {
  const std::string much(1 << 20, 'x');
  const auto failed =
      parse_greeting(greeting_text_of({"1", 1, 1, 1, 1, Error{ErrorKind::trouble, "c", much, much}}));
  ASSERT_TRUE(failed && failed->failed);
  EXPECT_EQ(failed->failed->message.find_first_not_of('x'), std::string::npos);
}

TEST(ProxyGreeting, NewerOnesMaySayMore) {
  const auto newer = parse_greeting("luzia-proxy\tversion=2\tcolour=blue\tprotocol=2\tclock=5");
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->protocol, 2U);
  EXPECT_EQ(newer->slots, 0U) << "not known";
}

TEST(ProxyGreeting, OtherLinesAreNone) {
  for (const char* line :
       {"", "luzia-proxy", "luzia-proxy\t", "luzia-proxys\tversion=1\tprotocol=1\tclock=1",
        "Welcome to build2!", "luzia-proxy\tversion=1\tprotocol=1",
        "luzia-proxy\tversion=1\tprotocol=-1\tclock=1", "luzia-proxy\tversion=1\tprotocol=1\tclock=-1",
        "luzia-proxy\tversion=1\tprotocol=1\tclock=1\tx", "luzia-proxy\tversion=\x1b[2J\tprotocol=1\tclock=1",
        "luzia-proxy\tprotocol=1\tclock=1\texit=0", "luzia-proxy\tprotocol=1\tclock=1\texit=6",
        "luzia-proxy\tprotocol=99999999999\tclock=1", " luzia-proxy\tversion=1\tprotocol=1\tclock=1"}) {
    EXPECT_FALSE(parse_greeting(line)) << line;
  }
}

}  // namespace
}  // namespace luzia
