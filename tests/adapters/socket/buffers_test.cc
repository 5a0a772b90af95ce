// How much memory one end of the socket can make the other end use.

#include <atomic>
#include <thread>

#include "tests/adapters/socket/echo_server.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

constexpr std::size_t kMiB = 1 << 20;

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  status >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string greeting() {
  wire::ClientFrameT frame;
  frame.request.Set(wire::HelloT{});
  return encode(frame);
}

std::string header_of(std::size_t promised) {
  std::string header(kFrameHeaderBytes, '\0');
  flatbuffers::WriteScalar(header.data(), static_cast<std::uint32_t>(promised));
  return header;
}

/// The code of the refusal that closes the connection.
std::string refusal(int fd) {
  FrameReader reader;
  std::string code;
  EXPECT_TRUE(reader.feed(as_bytes(read_all(fd)), [&](Bytes bytes) {
    const auto frame = parse_server_frame(bytes);
    ASSERT_TRUE(frame.has_value());
    if (const auto* refused = (*frame)->reply_as_Refused()) code = refused->code()->str();
  }));
  return code;
}

class Buffers : public Server {};

TEST_F(Buffers, UnknownClientsFirstFrameIsSmall) {
  EchoServer server(path_);
  const int fd = raw_connection();
  send_all(fd, header_of(kFirstFrameBytes + 1));
  EXPECT_EQ(refusal(fd), "bad_frame");
  ::close(fd);
}

TEST_F(Buffers, KnownClientMaySendTheLargestFrame) {
  EchoServer server(path_);
  auto client = Client::connect(path_).value();
  const auto reply = client.ask(ping(std::string(15 * kMiB, 'x')));
  EXPECT_TRUE(reply.has_value()) << reply.error().message;
}

TEST_F(Buffers, UnfinishedFramesStayWithinTheUsersBudget) {
  constexpr int kConnections = 60;
  EchoServer server(path_);
  const std::string half = greeting() + header_of(kMaxFrameBytes) + std::string(kMaxFrameBytes - 1, 'x');
  const std::size_t before = resident_bytes();
  std::vector<int> fds;
  for (int i = 0; i < kConnections; ++i) {
    fds.push_back(raw_connection());
    send_all(fds.back(), half);
  }
  // The server closes refused connections; 64 MiB hold three or four of these frames.
  EXPECT_TRUE(server.eventually([&] { return server.closed_ >= kConnections - 8; }));
  EXPECT_LT(resident_bytes() - before, 250 * kMiB) << "they promised " << kConnections * 16 << " MiB";
  EXPECT_EQ(refusal(fds.back()), "too_much_unfinished");
  auto other = Client::connect(path_).value();
  EXPECT_TRUE(other.ask(ping()).has_value()) << "requests that arrive whole are served";
  for (const int fd : fds) ::close(fd);
}

TEST_F(Buffers, StalledFrameIsRefused) {
  SocketServer::Limits limits;
  limits.half_frame_ms = 50;
  EchoServer server(path_, std::nullopt, limits);
  const int fd = raw_connection();
  send_all(fd, greeting() + header_of(100) + "half");
  EXPECT_EQ(refusal(fd), "half_frame");
  ::close(fd);
  auto idle = Client::connect(path_).value();
  EXPECT_TRUE(idle.ask(ping()).has_value());
  EXPECT_EQ(idle.receive(500ms).value(), nullptr) << "between frames a connection may be silent";
}

TEST_F(Buffers, UnreadRepliesStayWithinTheUsersBudget) {
  SocketServer::Limits limits;
  limits.unread = {32 * kMiB, 64 * kMiB};
  EchoServer server(path_, std::nullopt, limits);
  server.reply_bytes_ = 8 * kMiB;
  wire::ClientFrameT frame;
  frame.request = ping();
  const std::string request = encode(frame);
  std::vector<int> fds;
  for (int i = 0; i < 20; ++i) {
    fds.push_back(raw_connection());
    send_all(fds.back(), request);
  }
  EXPECT_TRUE(server.eventually([&] { return server.closed_ >= 16; }));
  for (const int fd : fds) ::close(fd);
}

TEST_F(Buffers, SandboxedAgentsDoNotUseUpTheirUsersBudget) {
  SocketServer::Limits limits;
  limits.unread = {32 * kMiB, 64 * kMiB};
  EchoServer server(path_, std::nullopt, limits);
  server.reply_bytes_ = 8 * kMiB;
  const std::string door = path_ + ".door";
  std::atomic<bool> open = false;
  server.open_sandbox_door(door);
  server.run([&open] { open = true; });
  ASSERT_TRUE(wait_until([&open] { return open.load(); }));
  wire::ClientFrameT frame;
  frame.request = ping();
  const std::string request = encode(frame);
  std::vector<int> fds;
  for (int i = 0; i < 8; ++i) {
    fds.push_back(raw_connection(door));
    send_all(fds.back(), request);
  }
  EXPECT_TRUE(server.eventually([&] { return server.closed_ >= 4; }));
  auto client = Client::connect(path_).value();
  EXPECT_TRUE(client.ask(ping()).has_value()) << "four agents still hold what one user may";
  for (const int fd : fds) ::close(fd);
}

/// A program that is not a daemon listens on the socket and sends `frame` again and again.
TEST_F(Buffers, UnrequestedRepliesCloseTheConnection) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  std::thread flood([&] {
    wire::ServerFrameT frame;
    frame.id = 77;
    wire::ProgressedT progressed;
    progressed.message = std::string(15 * kMiB, 'x');
    frame.reply.Set(std::move(progressed));
    const std::string bytes = encode(frame);
    const int fd = ::accept(listener, nullptr, nullptr);
    for (int i = 0; i < 40; ++i) send_all(fd, bytes);
    ::close(fd);
  });
  {
    auto client = Client::connect(path_).value();
    const auto reply = client.ask(ping());
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().code, "too_many_replies");
  }
  flood.join();
  ::close(listener);
}

TEST(BufferBudget, OthersCannotExhaustTheOwnersShare) {
  constexpr uid_t kOwner = 1000, kAnn = 1001, kBob = 1002;
  BufferBudget budget({100, 150}, kOwner);
  EXPECT_TRUE(budget.change(kAnn, 0, 100));
  EXPECT_FALSE(budget.change(kAnn, 100, 101)) << "exceeds the user's budget";
  EXPECT_TRUE(budget.change(kAnn, 101, 100)) << "smaller requests are always accepted";
  EXPECT_FALSE(budget.change(kBob, 0, 60)) << "exceeds the budget of all users";
  EXPECT_TRUE(budget.change(kOwner, 0, 100));
  EXPECT_TRUE(budget.change(0, 0, 100));
}

}  // namespace
}  // namespace luzia
