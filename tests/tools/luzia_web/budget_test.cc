#include "tools/luzia-web/budget.h"

#include <gtest/gtest.h>

#include "engine/device/pairing.h"

namespace luzia::web {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

std::string code_of(const Status& status) {
  return status ? "ok" : status.error().code;
}

TEST(Budget, AnAddressHasABoundedNumberOfConnections) {
  Budget budget({.connections = 100, .connections_of_address = 3});
  const std::string far = "192.0.2.1", near = "127.0.0.1";
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(budget.room_for(far), Room::free);
    budget.connected(far);
  }
  EXPECT_EQ(budget.room_for(far), Room::none_for_address);
  EXPECT_EQ(budget.room_for("192.0.2.2"), Room::free);
  for (int i = 0; i < 24; ++i) {
    ASSERT_EQ(budget.room_for(near), Room::free) << i;
    budget.connected(near);
  }
  EXPECT_EQ(budget.room_for(near), Room::none_for_address);
  budget.disconnected(far);
  EXPECT_EQ(budget.room_for(far), Room::free);
}

TEST(Budget, AllConnectionsTogetherAreBounded) {
  Budget budget({.connections = 5, .connections_of_address = 3});
  for (int i = 0; i < 5; ++i) budget.connected("192.0.2." + std::to_string(i));
  EXPECT_EQ(budget.room_for("192.0.2.77"), Room::none);
  budget.disconnected("192.0.2.0");
  EXPECT_EQ(budget.room_for("192.0.2.77"), Room::free);
}

TEST(Budget, ANetworkOfIpv6IsOneClient) {
  Budget budget({.connections_of_address = 2, .wrong_tokens = 2});
  budget.connected("2001:db8:1:2::1");
  budget.connected("2001:db8:1:2:3:4:5:6");
  EXPECT_EQ(budget.room_for("2001:db8:1:2::77"), Room::none_for_address);
  EXPECT_EQ(budget.room_for("2001:db8:1:3::77"), Room::free);
  budget.wrong(Secret::token, "2001:db8:1:2::1", 0);
  budget.wrong(Secret::token, "2001:db8:1:2::2", 0);
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "2001:db8:1:2::3", kSecond)), "locked_out");
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "2001:db8:1:3::3", kSecond)), "ok");
  EXPECT_EQ(client_of("::1"), "127.0.0.1");
  EXPECT_EQ(client_of("127.9.8.7"), "127.0.0.1") << "any program may choose among those";
  EXPECT_EQ(client_of("192.0.2.1"), "192.0.2.1");
}

TEST(Budget, RequestsOfADeviceComeBackWithTime) {
  Budget budget({.requests_per_second = 2, .most_at_once = 3});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(code_of(budget.device_asks("d", 0)), "ok");
  EXPECT_EQ(code_of(budget.device_asks("d", 0)), "too_many_requests");
  EXPECT_EQ(code_of(budget.device_asks("other", 0)), "ok");
  EXPECT_EQ(code_of(budget.device_asks("d", kSecond / 2)), "ok");
  EXPECT_EQ(code_of(budget.device_asks("d", kSecond / 2)), "too_many_requests");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(code_of(budget.device_asks("d", 100 * kSecond)), "ok");
  EXPECT_EQ(code_of(budget.device_asks("d", 100 * kSecond)), "too_many_requests");
}

TEST(Budget, QuietAddressesAreForgotten) {
  Budget budget({.strangers_per_second = 1, .most_strangers_at_once = 1, .remembered = 10});
  for (int i = 0; i < 10; ++i) ASSERT_EQ(code_of(budget.stranger_asks(std::to_string(i), 0)), "ok");
  EXPECT_EQ(code_of(budget.stranger_asks("new", 0)), "too_many_requests");
  EXPECT_EQ(code_of(budget.stranger_asks("new", kSecond)), "ok");
}

TEST(Budget, WrongSecretsLockAnAddressOut) {
  Budget budget({.wrong_within_us = 300 * kSecond, .wrong_tokens = 5, .tokens_locked_us = 60 * kSecond});
  for (int i = 0; i < 4; ++i) budget.wrong(Secret::token, "a", i * kSecond);
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "a", 4 * kSecond)), "ok");
  budget.wrong(Secret::token, "a", 4 * kSecond);
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "a", 5 * kSecond)), "locked_out");
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "b", 5 * kSecond)), "ok");
  EXPECT_EQ(code_of(budget.may_show(Secret::code, "a", 5 * kSecond)), "ok");
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "a", 63 * kSecond)), "locked_out");
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "a", 64 * kSecond)), "ok");
}

TEST(Budget, NoSingleAskerCanEndACode) {
  Budget budget;
  std::vector<TimeUs> guesses;
  for (TimeUs now = 0; now < 3'600 * kSecond; now += kSecond) {
    if (!budget.may_show(Secret::code, "a", now)) continue;
    budget.wrong(Secret::code, "a", now);
    guesses.push_back(now);
  }
  for (std::size_t i = PairingOffers::kMostWrong - 1; i < guesses.size(); ++i)
    EXPECT_GE(guesses[i] - guesses[i - PairingOffers::kMostWrong + 1], PairingOffers::kValid) << i;
  EXPECT_GT(guesses.size(), 10U);
}

TEST(Budget, OldMistakesDoNotCount) {
  Budget budget({.wrong_within_us = 10 * kSecond, .wrong_tokens = 3});
  for (int i = 0; i < 20; ++i) budget.wrong(Secret::token, "a", i * 6 * kSecond);
  EXPECT_EQ(code_of(budget.may_show(Secret::token, "a", 120 * kSecond)), "ok");
}

TEST(Budget, StreamsAreBoundedPerDeviceAndTogether) {
  Budget budget({.streams_of_device = 2, .streams = 3});
  EXPECT_EQ(code_of(budget.open_stream("a")), "ok");
  EXPECT_EQ(code_of(budget.open_stream("a")), "ok");
  EXPECT_EQ(code_of(budget.open_stream("a")), "too_many_streams");
  EXPECT_EQ(code_of(budget.open_stream("b")), "ok");
  EXPECT_EQ(code_of(budget.open_stream("b")), "too_many_streams");
  budget.close_stream("a");
  EXPECT_EQ(code_of(budget.open_stream("b")), "ok");
}

}  // namespace
}  // namespace luzia::web
