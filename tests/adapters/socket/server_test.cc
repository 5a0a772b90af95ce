#include "tests/adapters/socket/echo_server.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

int bound_socket(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

TEST_F(Server, AnswersARequestAndIdentifiesItsPeer) {
  EchoServer server(path_);
  ASSERT_TRUE(server.listened_) << server.listened_.error().message;
  auto client = Client::connect(path_);
  ASSERT_TRUE(client.has_value()) << client.error().message;
  const auto reply = client->ask(ping());
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ((*reply)->reply.type, wire::Reply::Progressed);
  EXPECT_EQ(server.peer_.uid, ::geteuid());
  EXPECT_EQ(server.peer_.pid, ::getpid());
}

TEST_F(Server, NobodyIsAdmittedFromASandbox) {
  EchoServer server(path_);
  const std::string door = path_ + ".sandbox";
  server.open_sandbox_door(door);
  ASSERT_TRUE(wait_until([&] { return Client::connect(door).has_value(); }));
  auto client = Client::connect(door).value();
  ASSERT_TRUE(client.ask(ping()).has_value());
  EXPECT_FALSE(server.peer_.admitted) << "even our own user has no rights there";
  auto outside = Client::connect(path_).value();
  ASSERT_TRUE(outside.ask(ping()).has_value());
  EXPECT_TRUE(server.peer_.admitted);
}

TEST_F(Server, SecretsAreBlackedOutBeforeARequestIsHeard) {
  EchoServer server(path_);
  server.redactor_ = std::make_shared<const Redactor>(std::vector<SecretValue>{{"T", "0123456789abcdef"}});
  auto client = Client::connect(path_).value();
  ASSERT_TRUE(client.ask(ping("say 0123456789abcdef!")).has_value());
  EXPECT_TRUE(server.eventually([&] { return server.heard_ == "say [secret T]******!"; })) << server.heard_;
  ASSERT_TRUE(client.ask(ping("nothing of it")).has_value());
  EXPECT_TRUE(server.eventually([&] { return server.heard_ == "nothing of it"; }));
}

TEST_F(Server, OnlyTheOwnerMayConnect) {
  EchoServer server(path_);
  struct stat status;
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(Server, PipelinedRequestsAreAllAnsweredInOrder) {
  EchoServer server(path_);
  auto client = Client::connect(path_).value();
  constexpr std::uint64_t kCount = 20'000;
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(client.post(ping()).has_value());
  }
  while (next <= kCount) {
    const auto frame = client.receive(30s);
    ASSERT_TRUE(frame.has_value()) << frame.error().message;
    ASSERT_NE(*frame, nullptr);
    ASSERT_EQ((*frame)->id(), next++);
  }
}

TEST_F(Server, ClientThatNeverReadsCausesNoDeadlock) {
  EchoServer server(path_);
  server.reply_bytes_ = 4096;
  auto client = Client::connect(path_).value();
  constexpr int kCount = 4'000;
  for (int i = 0; i < kCount; ++i) {
    ASSERT_TRUE(client.send(ping(std::string(2000, 'q'))).has_value());
  }
  for (int i = 0; i < kCount; ++i) {
    const auto frame = client.receive(30s);
    ASSERT_TRUE(frame.has_value()) << frame.error().message;
    ASSERT_NE(*frame, nullptr);
  }
}

TEST_F(Server, SlowReaderIsPausedUntilItCatchesUp) {
  EchoServer server(path_);
  server.reply_bytes_ = 64 << 10;
  const int fd = raw_connection();
  wire::ClientFrameT frame;
  frame.request = ping(std::string(60'000, 'q'));  // one request per read of the server
  const std::string request = encode(frame);
  // Sends until the server stops reading: a client that reads no replies is stopped within bounds.
  std::thread sender([&] {
    for (int i = 0; i < 400; ++i) {
      std::size_t done = 0;
      while (done < request.size()) {
        const ssize_t count = ::send(fd, request.data() + done, request.size() - done, MSG_NOSIGNAL);
        if (count <= 0) {
          return;
        }
        done += static_cast<std::size_t>(count);
      }
    }
    ::shutdown(fd, SHUT_WR);
  });
  EXPECT_TRUE(server.eventually([&] { return server.fulls_ > 0; }));
  {
    auto other = Client::connect(path_).value();
    EXPECT_TRUE(other.ask(ping()).has_value()) << "others are served meanwhile";
  }
  FrameReader reader;
  int answers = 0;
  std::vector<std::uint64_t> buffer(8192);
  while (answers < 400) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size() * 8);
    ASSERT_GT(count, 0) << "after " << answers;
    ASSERT_TRUE(reader.feed({reinterpret_cast<std::uint8_t*>(buffer.data()), static_cast<std::size_t>(count)},
                            [&](Bytes) { ++answers; }));
  }
  sender.join();
  EXPECT_TRUE(server.eventually([&] { return server.drained_ > 0; }));
  ::close(fd);
}

TEST_F(Server, GarbageClosesTheConnection) {
  EchoServer server(path_);
  for (const std::string& garbage : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(64, '\0'),
                                     std::string("\x10\0\0\0", 4) + std::string(16, 'x')}) {
    const int fd = raw_connection();
    ASSERT_EQ(::send(fd, garbage.data(), garbage.size(), MSG_NOSIGNAL), static_cast<ssize_t>(garbage.size()));
    const std::string answer = read_all(fd);
    ::close(fd);
    FrameReader reader;
    int frames = 0;
    ASSERT_TRUE(reader.feed(as_bytes(answer), [&](Bytes bytes) {
      ++frames;
      const auto frame = parse_server_frame(bytes);
      ASSERT_TRUE(frame.has_value());
      ASSERT_NE((*frame)->reply_as_Refused(), nullptr);
      EXPECT_EQ((*frame)->reply_as_Refused()->code()->str(), "bad_frame");
    }));
    EXPECT_EQ(frames, 1);
  }
  EXPECT_TRUE(server.eventually([&] { return server.closed_ == 3; }));
}

TEST_F(Server, ClientThatVanishesIsForgotten) {
  EchoServer server(path_);
  server.reply_bytes_ = 1 << 20;
  {
    auto client = Client::connect(path_).value();
    for (int i = 0; i < 8; ++i) {
      ASSERT_TRUE(client.send(ping()).has_value());
    }
    EXPECT_TRUE(server.eventually([&] { return server.received_ > 0; }));
  }
  EXPECT_TRUE(server.eventually([&] { return server.opened_ == 1 && server.closed_ == 1; }));
}

class HalfClosed : public Server {
 protected:
  /// A client that sent `requests` requests and no more, all of which the server has received.
  int connection(EchoServer& server, Client& other, int requests) {
    const int fd = raw_connection();
    wire::ClientFrameT frame;
    frame.request = ping();
    const std::string request = encode(frame);
    for (int i = 0; i < requests; ++i) {
      EXPECT_EQ(::send(fd, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    }
    EXPECT_TRUE(server.eventually([&] { return server.received_ == requests; }));
    ::shutdown(fd, SHUT_WR);
    // The server reads what comes later on another connection later.
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(other.ask(ping()).has_value());
    }
    return fd;
  }
};

TEST_F(HalfClosed, ClientGetsAllRepliesThenTheEnd) {
  EchoServer server(path_);
  server.to_hold_ = 3;
  auto other = Client::connect(path_).value();
  const int fd = connection(server, other, 3);
  server.release();
  const std::string answers = read_all(fd);
  ::close(fd);
  FrameReader reader;
  int frames = 0;
  EXPECT_TRUE(reader.feed(as_bytes(answers), [&](Bytes) { ++frames; }));
  EXPECT_EQ(frames, 3);
  EXPECT_TRUE(server.eventually([&] { return server.closed_ == 1; }));
}

TEST_F(HalfClosed, ClientLeavingBeforeItsReplyIsForgotten) {
  EchoServer server(path_);
  server.to_hold_ = 1;
  auto other = Client::connect(path_).value();
  ::close(connection(server, other, 1));
  EXPECT_TRUE(server.eventually([&] { return server.closed_ == 1; }));
  EXPECT_TRUE(other.ask(ping()).has_value());
}

TEST_F(Server, ClientThatNeverReadsDoesNotDelayStopping) {
  const int fd = [&] {
    EchoServer server(path_);
    server.reply_bytes_ = 8 << 20;
    const int connection = raw_connection();
    wire::ClientFrameT frame;
    frame.request = ping();
    const std::string request = encode(frame);
    EXPECT_EQ(::send(connection, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    EXPECT_TRUE(server.eventually([&] { return server.received_ == 1; }));
    return connection;
  }();
  ::close(fd);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Server, OnlyADeadSocketIsReplaced) {
  const int fd = bound_socket(path_);
  ::close(fd);
  {
    EchoServer server(path_);
    EXPECT_TRUE(server.listened_.has_value());
  }
  std::ofstream(path_) << "precious";
  EchoServer server(path_);
  ASSERT_FALSE(server.listened_.has_value());
  EXPECT_EQ(server.listened_.error().code, "socket_in_use");
  EXPECT_EQ(std::filesystem::file_size(path_), 8u);
}

TEST_F(Server, InheritedSocketIsServedAndNeverUnlinked) {
  const int fd = bound_socket(path_);
  ASSERT_EQ(::listen(fd, 8), 0);
  {
    EchoServer server(path_, fd);
    ASSERT_TRUE(server.listened_) << server.listened_.error().message;
    auto client = Client::connect(path_).value();
    EXPECT_TRUE(client.ask(ping()).has_value());
  }
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(Server, InheritedSocketSurvivesARestartInPlace) {
  const int fd = bound_socket(path_);
  ASSERT_EQ(::listen(fd, 8), 0);
  for (int life = 0; life < 2; ++life) {
    EchoServer server(path_, fd);
    ASSERT_TRUE(server.listened_) << server.listened_.error().message;
    EXPECT_TRUE(Client::connect(path_).value().ask(ping()).has_value());
  }
  ::close(fd);
}

TEST_F(Server, InheritedDescriptorThatDoesNotListenIsRefused) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  {
    EchoServer server(path_, pipe_ends[0]);
    ASSERT_FALSE(server.listened_.has_value());
    EXPECT_EQ(server.listened_.error().code, "socket_listen");
  }
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_F(Server, MissingDaemonDiffersFromALostConnection) {
  auto nobody = Client::connect(path_);
  ASSERT_FALSE(nobody.has_value());
  EXPECT_EQ(nobody.error().code, "no_daemon");
  std::optional<Client> client;
  {
    EchoServer server(path_);
    client = std::move(*Client::connect(path_));
    ASSERT_TRUE(client->ask(ping()).has_value());
  }
  const auto reply = client->receive(30s);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, "connection_lost");
}

TEST_F(Server, RepliesToOtherRequestsAreKeptWhileAsking) {
  EchoServer server(path_);
  auto client = Client::connect(path_).value();
  const auto first = client.send(ping()).value();
  const auto second = client.send(ping()).value();
  ASSERT_TRUE(client.ask(ping()).has_value());
  for (const std::uint64_t expected : {first, second}) {
    const auto frame = client.receive(30s);
    ASSERT_TRUE(frame.has_value());
    ASSERT_NE(*frame, nullptr);
    EXPECT_EQ((*frame)->id(), expected);
  }
  const auto nothing = client.receive(0ms);
  ASSERT_TRUE(nothing.has_value());
  EXPECT_EQ(*nothing, nullptr);
}

TEST_F(Server, CallerMayWaitItsOwnWayAndGiveUp) {
  EchoServer server(path_);
  server.to_hold_ = 1;
  auto client = Client::connect(path_).value();
  const auto given_up =
      client.ask(ping(), [](Client&) -> Status { return fail(ErrorKind::refused, "enough", "no more"); });
  ASSERT_FALSE(given_up.has_value());
  EXPECT_EQ(given_up.error().code, "enough");
  ASSERT_TRUE(server.eventually([&] { return server.received_ == 2; })) << "the Hello and the request";
  server.release();
  const auto answered = client.ask(ping(), [](Client& waiting) -> Status {
    waiting.wait_beside(-1, -1ms);
    return {};
  });
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  const auto late = client.receive(30s);
  ASSERT_TRUE(late.has_value());
  ASSERT_NE(*late, nullptr) << "an abandoned request may still get a reply";
  EXPECT_LT((*late)->id(), (*answered)->id);
}

TEST_F(Server, NextFrameMayBelongToAnyRequest) {
  EchoServer server(path_);
  auto client = Client::connect(path_).value();
  const auto first = client.send(ping()).value();
  const auto answered = client.next();
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ((*answered)->id(), first);
}

TEST_F(Server, NextFrameOfARefusalIsItsError) {
  EchoServer server(path_);
  server.refuses_ = true;
  auto client = Client::connect(path_).value();
  ASSERT_TRUE(client.send(ping()).has_value());
  const auto refused = client.next();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, "not_today");
}

TEST(VersionGap, NamesTheOlderSide) {
  EXPECT_EQ(version_gap(1, "a", 1, "b"), std::nullopt);
  EXPECT_EQ(version_gap(0, "", 1, "b"), std::nullopt) << "not told";
  EXPECT_EQ(version_gap(2, "2.0", 1, "1.0").value().code, "daemon_too_old");
  EXPECT_EQ(version_gap(1, "1.0", 2, "2.0").value().code, "client_too_old");
  EXPECT_NE(version_gap(2, "2.0", 1, "1.0").value().hint.find("luzia daemon restart"), std::string::npos);
}

TEST_F(Server, OversizedRequestIsRefusedBeforeItIsSent) {
  EchoServer server(path_);
  auto client = Client::connect(path_).value();
  const auto sent = client.send(ping(std::string(kMaxFrameBytes, 'x')));
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, "request_too_big");
  EXPECT_TRUE(client.ask(ping()).has_value()) << "the connection is still good";
}

}  // namespace
}  // namespace luzia
