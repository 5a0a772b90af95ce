// The client's side of the socket: a blocking connection for the command line and the Publisher. One thread
// at a time.
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
#include "engine/base/descriptor.h"

namespace luzia {

/// The most bytes of one answer from another machine, except output and events, which are streams.
inline constexpr std::uint64_t kMostCarriedBytes = 256 << 20;

/// Wraps a request body for sending.
template <class Body>
wire::RequestUnion request_of(Body body) {
  wire::RequestUnion request;
  request.Set(std::move(body));
  return request;
}

/// The program that carries a connection to a daemon of another machine.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// The error of the connection as people need it: on which machine, and what the program says.
  virtual Error explained(Error error) = 0;
  /// An error that the daemon has answered, with the name of its machine.
  virtual Error of_machine(Error error) const = 0;
  /// The other side was silent for too long: nobody waits for it any more.
  virtual void give_up() = 0;
};

class Client {
 public:
  /// Errors: `no_daemon` (trouble) if nothing listens, `socket_refused` (refused) if the caller has no
  /// permission, `socket_untrusted` (listener.h).
  ///
  /// A Hello is sent with the first request. If the daemon's Welcome names another protocol, receiving fails
  /// with `daemon_too_old` or `client_too_old` (trouble). In a job of that daemon, the client also presents
  /// the attempt's credential (LUZIA_JOB_ID, LUZIA_ATTEMPT, LUZIA_CREDENTIAL, LUZIA_SOCKET).
  ///
  /// `silence`: how long each call below waits for a daemon that has stopped answering. Then it fails with
  /// `daemon_silent` (trouble), and whether the daemon received what was sent is unknown. Open-ended requests
  /// (Wait, AwaitInput, a live Follow or Tail) have no such limit once the daemon has answered.
  static Result<Client> connect(const std::string& socket_path, SilenceLimit silence = {});
  /// Speaks over a connected stream socket whose other end the carrier passes on to a daemon of another
  /// machine. Presents no credential of a job. An answer may have at most kMostCarriedBytes.
  static Client over(Descriptor connected, SilenceLimit silence, std::unique_ptr<Carrier> carrier);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// Call before the first request: sends no Hello, so the daemon may be of any version. For requests that
  /// must always work, such as stopping it.
  void forgo_hello();

  /// Call before the first request: the connection then acts for the person at this paired device (its id),
  /// with no more rights than the device. Only programs of the daemon's user may; others, and devices that
  /// were revoked, are refused at the first answer.
  void act_at(const std::string& device);

  /// Call before the first request: every command is attributed to this person, with the rights of the
  /// account. Only programs of the daemon's user may; others are refused at the first answer.
  void speak_for(const std::string& person);

  /// Sends without waiting for an answer; returns the id that replies carry. Keeps replies that arrive while
  /// the kernel accepts no more data, so a client that only sends cannot deadlock with the daemon.
  Result<std::uint64_t> send(const wire::RequestUnion& request);
  /// Like send(), but buffers the request until flush(), send(), or a receive() that has no whole frame
  /// available. So many requests leave in one system call.
  Result<std::uint64_t> post(const wire::RequestUnion& request);
  Status flush();
  /// The next frame of any id; nullptr after `timeout` (negative: none). Valid until the next call.
  /// `connection_lost` (trouble): the daemon is gone, and may or may not have received what was sent.
  Result<const wire::ServerFrame*> receive(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));
  /// The next frame of any id, without a timeout. A Refused becomes its Error.
  Result<const wire::ServerFrame*> next();
  /// Replaces the waiting in ask(), by wait_beside() or otherwise; after it returns, ask() checks for the
  /// answer again. An error from it ends ask() with that error, and the answer may still arrive later.
  using Wait = std::function<Status(Client&)>;
  /// Sends and waits for the first frame of that id; keeps other frames for receive(). A Refused becomes its
  /// Error, also one with id 0, which concerns the connection.
  Result<std::unique_ptr<wire::ServerFrameT>> ask(const wire::RequestUnion& request, const Wait& wait = {});
  /// Waits until `beside` is readable (first), until receive() may have something new or fails (second), or
  /// until the timeout (negative: none). Ignores frames kept by ask().
  Readable wait_beside(int beside, std::chrono::milliseconds timeout);
  Readable wait_beside(int beside, std::chrono::steady_clock::time_point until);
  /// The error of a refusal that was received; of another machine its message names it.
  Error error_of(const wire::Refused& refused) const;
  /// Whether it can wait for its next user: nothing is unsent or unread, the daemon holds it open, and its
  /// buffers are small. The caller knows that all answers have come.
  bool can_be_kept() const;
  /// Whether its buffers are small.
  bool holds_little() const;
  /// The descriptor, for callers that also wait for other things and do not need the silence limit.
  int fd() const;

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Why the two sides of a connection cannot understand each other. nullopt if the protocols are equal or one
/// is unknown (0). Used by both sides.
std::optional<Error> version_gap(std::uint32_t client_protocol, std::string_view client_version,
                                 std::uint32_t daemon_protocol, std::string_view daemon_version);

/// Whether the error means that the daemon is restarting. It has recorded nothing, and refuses every request
/// with this error until it closes the connection.
bool starts_over(const Error& error);

Error error_from(const wire::Refused& refused);
Error error_from(const wire::RefusedT& refused);

}  // namespace luzia
