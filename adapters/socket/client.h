// The client's side: a blocking connection, for the command line and the Publisher. One thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adapters/socket/frame.h"
#include "adapters/socket/readable.h"
#include "adapters/socket/vigil.h"

namespace luzia {

/// A request as it goes over the wire.
template <class Body>
wire::RequestUnion request_of(Body body) {
  wire::RequestUnion request;
  request.Set(std::move(body));
  return request;
}

class Client {
 public:
  /// `no_daemon` (trouble) when nothing listens, `socket_refused` (refused) when the caller may not,
  /// `socket_untrusted` (listener.h).
  /// A Hello goes out with the first request; where the daemon's Welcome names another protocol, receiving
  /// fails with `daemon_too_old` or `client_too_old` (trouble). In a job of that daemon it shows the
  /// credential of the attempt, too (LUZIA_JOB_ID, LUZIA_ATTEMPT, LUZIA_CREDENTIAL, LUZIA_SOCKET).
  /// `silence`: for how long every call below waits for a daemon that has stopped answering: `daemon_silent`
  /// (trouble), and whether it has taken what was sent is not known. What may take for ever (Wait,
  /// AwaitInput, a live Follow or Tail) outlasts the silence of a daemon that has answered once.
  static Result<Client> connect(const std::string& socket_path, SilenceLimit silence = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// Before the first request: no Hello, so that the daemon may be of any version. For what must always work,
  /// as stopping it.
  void forgo_hello();

  /// Sends without waiting for an answer; the id to match replies with. Replies that arrive while the kernel
  /// accepts no more are kept, so that a client that sends on and on cannot lock itself and the daemon.
  Result<std::uint64_t> send(const wire::RequestUnion& request);
  /// As send(), but kept until flush(), send(), or a receive() that has no whole frame at hand: many requests
  /// in one system call.
  Result<std::uint64_t> post(const wire::RequestUnion& request);
  Status flush();
  /// Next frame of any id; nullptr after `timeout` (negative: none). The frame is valid until the next call.
  /// `connection_lost` (trouble) when the daemon went away: what was sent may or may not have been taken.
  Result<const wire::ServerFrame*> receive(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));
  /// Next frame of any id, however long that takes. A Refused becomes its Error.
  Result<const wire::ServerFrame*> next();
  /// Waits in place of ask() as wait_beside() does, or for something else: then ask() looks again. An error
  /// ends ask() with it, and what was asked may still be answered.
  using Wait = std::function<Status(Client&)>;
  /// Sends and waits for the first frame of that id; others are kept for receive(). A Refused becomes its
  /// Error, also one with id 0, which concerns the connection.
  Result<std::unique_ptr<wire::ServerFrameT>> ask(const wire::RequestUnion& request, const Wait& wait = {});
  /// Until `beside` is readable (first), receive() may have something new or fails (second), or `timeout`
  /// (negative: none) has passed. Frames kept by ask() do not show here.
  Readable wait_beside(int beside, std::chrono::milliseconds timeout);
  Readable wait_beside(int beside, std::chrono::steady_clock::time_point until);
  /// As wait_beside() sees it, for those who wait for other things too and need no watch over silence.
  int fd() const;

 private:
  Client(int fd, Vigil vigil, const std::string& socket_path);
  struct State;
  std::unique_ptr<State> state_;
};

/// Why one side of a connection cannot understand the other; nothing when the protocols are the same, or one
/// (0) is not told. Used by both sides.
std::optional<Error> version_gap(std::uint32_t client_protocol, std::string_view client_version,
                                 std::uint32_t daemon_protocol, std::string_view daemon_version);

/// A Refused as an Error.
Error error_from(const wire::Refused& refused);
Error error_from(const wire::RefusedT& refused);

}  // namespace luzia
