#include "adapters/socket/relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "engine/base/descriptor.h"

namespace luzia {
namespace {

/// Two connected ends.
struct Ends {
  explicit Ends(bool is_pipe = false) {
    int fds[2];
    EXPECT_EQ(is_pipe ? ::pipe(fds) : ::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    first.reset(fds[0]);
    second.reset(fds[1]);
  }
  Descriptor first, second;
};

/// The relay between a client's pipes, as sshd gives them to a program, and a daemon's connection.
class RelayTest : public ::testing::Test {
 protected:
  void start() {
    thread_ = std::thread([this] {
      status_ = relay(in_.first.get(), out_.second.get(), daemon_.first.get());
      in_.first.reset();
      out_.second.reset();
      daemon_.first.reset();
    });
  }
  /// Returns when the relay has ended.
  void join() {
    thread_.join();
    EXPECT_TRUE(status_.has_value()) << status_.error().message;
  }
  Descriptor& client_writes() { return in_.second; }
  Descriptor& client_reads() { return out_.first; }
  Descriptor& daemon() { return daemon_.second; }

 private:
  Ends in_{true}, out_{true}, daemon_;
  Status status_;
  std::thread thread_;
};

std::string all_of_pipe(int fd) {
  return read_up_to(fd, 64 << 20).value_or("unreadable");
}

TEST_F(RelayTest, PassesBothWaysAndTheEndOfEach) {
  start();
  ASSERT_TRUE(write_fully(client_writes().get(), "question"));
  std::array<char, 8> bytes{};
  ASSERT_EQ(::recv(daemon().get(), bytes.data(), bytes.size(), MSG_WAITALL), 8);
  EXPECT_EQ(std::string(bytes.data(), bytes.size()), "question");
  client_writes().reset();
  char none = 0;
  EXPECT_EQ(::recv(daemon().get(), &none, 1, 0), 0) << "the end of input is passed on";
  ASSERT_TRUE(write_fully(daemon().get(), "late answer")) << "what is still answered passes";
  daemon().reset();
  EXPECT_EQ(all_of_pipe(client_reads().get()), "late answer");
  join();
}

TEST_F(RelayTest, ManyBytesArriveWholeAndSlowReadersHoldThemUp) {
  start();
  std::string much(8 << 20, '\0');
  for (std::size_t i = 0; i < much.size(); ++i) much[i] = static_cast<char>(i * 31 + i / 4093);
  std::thread sender([&] {
    EXPECT_TRUE(write_fully(daemon().get(), much));
    daemon().reset();
  });
  EXPECT_EQ(all_of_pipe(client_reads().get()), much);
  sender.join();
  join();
}

TEST_F(RelayTest, BytesThatNobodyReadsAreNotPiledUp) {
  start();
  const std::string piece(4'096, 'x');
  std::size_t taken = 0;
  constexpr std::size_t kFar = 64 << 20;
  while (taken < kFar) {
    pollfd waiting{daemon().get(), POLLOUT, 0};
    if (::poll(&waiting, 1, 500) != 1) break;
    const ssize_t sent = ::send(daemon().get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (sent > 0) taken += static_cast<std::size_t>(sent);
  }
  EXPECT_LT(taken, 4U << 20) << "buffers of the kernel, and 64 KiB of ours";
  client_reads().reset();
  join();
}

TEST_F(RelayTest, EndsWhenTheClientIsGone) {
  start();
  client_writes().reset();
  client_reads().reset();
  join();
  char none = 0;
  EXPECT_LE(::recv(daemon().get(), &none, 1, 0), 0);
}

TEST_F(RelayTest, EndsWhenTheDaemonIsGoneWhileTheClientWaits) {
  start();
  daemon().reset();
  EXPECT_EQ(all_of_pipe(client_reads().get()), "");
  join();
}

}  // namespace
}  // namespace luzia
