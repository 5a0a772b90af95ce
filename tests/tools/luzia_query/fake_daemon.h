// A fake daemon that listens on a store's socket and answers as the test says. It serves one connection after
// the other on its own thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/socket/frame.h"

namespace luzia::test {

class FakeDaemon {
 public:
  /// The bytes to send for a request; ids are filled in. `hang_up` closes the connection afterwards.
  struct Answer {
    std::vector<wire::ReplyUnion> replies;
    bool hang_up = false;
  };
  using Handler = std::function<Answer(const wire::ClientFrame&)>;

  FakeDaemon(const std::string& path, Handler handler) : handler_(std::move(handler)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeDaemon() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

 private:
  void serve() {
    for (int client; (client = accept(listener_, nullptr, nullptr)) >= 0;) {
      talk(client);
      close(client);
    }
  }
  void talk(int client) {
    FrameReader reader;
    char buffer[4096];
    bool over = false;
    for (ssize_t size; !over && (size = read(client, buffer, sizeof buffer)) > 0;) {
      const Status fed = reader.feed(as_bytes({buffer, static_cast<std::size_t>(size)}), [&](Bytes bytes) {
        const auto frame = parse_client_frame(bytes);
        ASSERT_TRUE(frame);
        if ((*frame)->request_type() == wire::Request::Hello) {
          send_answer(client, (*frame)->id(), {{welcome()}});
          return;
        }
        over = !send_answer(client, (*frame)->id(), handler_(**frame)) || over;
      });
      EXPECT_TRUE(fed);
    }
  }
  static wire::ReplyUnion welcome() {
    wire::WelcomeT welcome;
    welcome.protocol = kProtocolVersion;
    wire::ReplyUnion reply;
    reply.Set(std::move(welcome));
    return reply;
  }
  static bool send_answer(int client, std::uint64_t id, Answer answer) {
    for (wire::ReplyUnion& reply : answer.replies) {
      wire::ServerFrameT frame;
      frame.id = id;
      frame.reply = std::move(reply);
      const std::string bytes = encode(frame);
      EXPECT_EQ(send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }
    return !answer.hang_up;
  }

  Handler handler_;
  int listener_ = -1;
  std::thread thread_;
};

template <class Native>
wire::ReplyUnion reply(Native native) {
  wire::ReplyUnion result;
  result.Set(std::move(native));
  return result;
}

inline wire::ProgressedT progressed(const std::string& message, bool last = true) {
  wire::ProgressedT result;
  result.message = message;
  result.last = last;
  return result;
}

inline wire::RefusedT refused(ErrorKind kind, const std::string& code) {
  wire::RefusedT result;
  result.exit_code = static_cast<std::uint8_t>(kind);
  result.code = code;
  result.message = "no";
  result.hint = "ask root";
  return result;
}

}  // namespace luzia::test
