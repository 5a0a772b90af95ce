// Kept connections to the daemon: each for its device alone, few, not for ever, and none that has an answer
// to come.
#include "tools/luzia-web/daemon_door.h"

#include <poll.h>

#include "tests/adapters/socket/echo_server.h"

namespace luzia::web {
namespace {

class Door : public Server {
 protected:
  Status ask(const DaemonDoor& door, const std::string& device) {
    const auto answer = door.ask_as(device, ping());
    if (!answer) return tl::unexpected(answer.error());
    return {};
  }
};

TEST_F(Door, RequestsInARowUseOneConnection) {
  EchoServer server(path_);
  const DaemonDoor door(path_);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(ask(door, "d-1"));
  EXPECT_EQ(door.kept(), 1U);
  EXPECT_TRUE(server.eventually([&] { return server.received_ == 6 && server.opened_ == 1; }))
      << "one Hello, five requests";
}

TEST_F(Door, NoDeviceGetsTheConnectionOfAnother) {
  EchoServer server(path_);
  const DaemonDoor door(path_);
  for (const char* device : {"d-1", "d-2", "", "d-2"}) ASSERT_TRUE(ask(door, device));
  EXPECT_EQ(door.kept(), 3U);
  EXPECT_TRUE(server.eventually([&] { return server.opened_ == 3 && server.received_ == 7; }));
}

TEST_F(Door, NextDaemonIsAskedOverANewConnection) {
  const DaemonDoor door(path_);
  {
    EchoServer server(path_);
    ASSERT_TRUE(ask(door, "d-1"));
  }
  EchoServer next(path_);
  EXPECT_TRUE(ask(door, "d-1"));
  EXPECT_TRUE(next.eventually([&] { return next.opened_ == 1; }));
  EXPECT_EQ(door.kept(), 1U);
}

TEST_F(Door, ConnectionOfARefusedRequestIsClosed) {
  EchoServer server(path_);
  server.refuses_ = true;
  const DaemonDoor door(path_);
  const Status refused = ask(door, "d-1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "not_today");
  EXPECT_EQ(door.kept(), 0U);
  EXPECT_TRUE(server.eventually([&] { return server.closed_ == 1; }));
}

TEST_F(Door, LateAnswerReachesNoOtherRequest) {
  EchoServer server(path_);
  server.to_hold_ = 1;
  const DaemonDoor door(path_);
  auto client = door.take("d-1");
  ASSERT_TRUE(client);
  ASSERT_TRUE(client->send(ping()));
  const int fd = client->fd();
  door.keep("d-1", std::move(*client));
  ASSERT_TRUE(server.eventually([&] { return server.received_ == 2; }));
  server.release();
  pollfd arrives{fd, POLLIN, 0};
  ASSERT_EQ(::poll(&arrives, 1, 30'000), 1);
  EXPECT_TRUE(ask(door, "d-1"));
  EXPECT_TRUE(server.eventually([&] { return server.opened_ == 2; })) << "the first was closed, not used";
  EXPECT_EQ(door.kept(), 1U);
}

TEST_F(Door, SourceThatWasNotAnsweredIsNotKept) {
  EchoServer server(path_);
  const DaemonDoor door(path_);
  {
    auto source = door.source_as("d-1");
    ASSERT_TRUE(source);
    const auto page = (*source)->query(view_query(wire::View::jobs));
    ASSERT_FALSE(page) << "it answers with something else";
    EXPECT_EQ(page.error().code, "protocol");
  }
  EXPECT_EQ(door.kept(), 0U);
}

TEST_F(Door, KeptConnectionsAreFew) {
  EchoServer server(path_);
  const DaemonDoor door(path_);
  for (std::size_t i = 0; i < DaemonDoor::kMostKept + 4; ++i)
    ASSERT_TRUE(ask(door, "d-" + std::to_string(i)));
  EXPECT_EQ(door.kept(), DaemonDoor::kMostKept);
  EXPECT_TRUE(server.eventually([&] { return server.closed_ == 4; }));
  ASSERT_TRUE(ask(door, "d-0")) << "the oldest made room";
  EXPECT_TRUE(
      server.eventually([&] { return server.opened_ == static_cast<int>(DaemonDoor::kMostKept) + 5; }));
}

TEST_F(Door, UnusedConnectionsAreClosed) {
  EchoServer server(path_);
  const DaemonDoor door(path_);
  ASSERT_TRUE(ask(door, "d-1"));
  const auto now = std::chrono::steady_clock::now();
  door.close_idle(now);
  EXPECT_EQ(door.kept(), 1U);
  door.close_idle(now + DaemonDoor::kMostIdle + std::chrono::seconds(1));
  EXPECT_EQ(door.kept(), 0U);
  EXPECT_TRUE(server.eventually([&] { return server.closed_ == 1; }));
}

TEST_F(Door, ConnectionWithLargeBuffersIsClosed) {
  EchoServer server(path_);
  server.reply_bytes_ = 4 << 20;
  const DaemonDoor door(path_);
  ASSERT_TRUE(ask(door, "d-1"));
  EXPECT_EQ(door.kept(), 0U);
}

TEST_F(Door, ThreadsThatAskAtOnceAreAllAnswered) {
  constexpr int kThreads = 8, kRequests = 100;
  EchoServer server(path_);
  const DaemonDoor door(path_);
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < kRequests; ++n) failed += ask(door, "d-" + std::to_string(i % 3)) ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(server.eventually([&] { return server.opened_ <= kThreads * 3; }));
  EXPECT_LE(door.kept(), static_cast<std::size_t>(kThreads));
}

}  // namespace
}  // namespace luzia::web
