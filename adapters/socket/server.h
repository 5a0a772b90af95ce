// The daemon's side of the socket, on libuv. Loop thread only; the process must ignore SIGPIPE.
//
// Frames sent during a loop turn are collected per connection and leave in one write at the turn's end. Bytes
// that the kernel does not accept are kept. While more than kFullBytes wait, the server stops reading from
// that connection. So a slow or dead reader can neither block the loop nor grow its memory without bound. A
// user's connections together are bounded too (Limits). A client that has shut down its sending side still
// gets its answers; the connection closes after the last one. While there is such a client, and only then,
// the server checks from time to time whether it is still there.
#pragma once

#include <sys/types.h>
#include <uv.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/socket/buffer_budget.h"
#include "adapters/socket/frame.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/redactor.h"

namespace luzia {

/// SO_PEERCRED of the client.
struct Peer {
  uid_t uid;
  gid_t gid;
  pid_t pid;
  /// False: it used a socket for attempts, and may not connect to the daemon's own.
  bool admitted = true;
};

using ConnectionId = std::uint64_t;

class SocketServer {
 public:
  /// Any member may be empty. Handlers may call every function of the server but its destructor.
  struct Handlers {
    std::function<void(ConnectionId, const Peer&)> opened;
    std::function<void(ConnectionId, const wire::ClientFrame&)> received;  // frame valid during the call
    std::function<void(ConnectionId)> drained;  // waiting bytes fell below kResumeBytes after a full()
    std::function<void(ConnectionId)> closed;   // once for every opened(), whichever side closed
    /// What to black out in all texts of a frame before received(); null: nothing.
    std::function<std::shared_ptr<const Redactor>(ConnectionId, const wire::ClientFrame&)> redactor = {};
  };
  static constexpr std::size_t kFullBytes = 1 << 20;
  static constexpr std::size_t kResumeBytes = 256 << 10;
  /// A connection with more than this waiting is closed.
  static constexpr std::size_t kMaxQueuedBytes = 64 << 20;
  /// How long a closing connection may take to accept what was already sent.
  static constexpr std::uint64_t kLingerMs = 2'000;

  /// Bounds on what clients can make the server keep, in bytes: incomplete requests, and answers that they do
  /// not read. A request that makes no progress for `half_frame_ms` is refused.
  struct Limits {
    BufferBudget::Limits unfinished{64 << 20, 256 << 20};
    BufferBudget::Limits unread{256 << 20, 512 << 20};
    std::uint64_t half_frame_ms = 30'000;
  };

  SocketServer(uv_loop_t* loop, Handlers handlers, Limits limits);
  SocketServer(uv_loop_t* loop, Handlers handlers) : SocketServer(loop, std::move(handlers), Limits()) {}
  /// Closes everything at once. The loop must run once more for libuv to release the handles.
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  /// Binds `path` (mode 0600, or 0660 and group `gid`), replacing a dead socket; the caller holds the store's
  /// lock. Or takes over `inherited_fd` from systemd, which is never unlinked. `socket_in_use`: `path` is not
  /// a socket. `socket_listen`: the system refused.
  Status listen(const std::string& path, std::optional<gid_t> group, std::optional<int> inherited_fd);
  /// Opens a second socket beside listen()'s that every account may connect to (mode 0666). Peers count as
  /// admitted if they are root, our own user, or members of `group`.
  Status listen_to_attempts(const std::string& path, std::optional<gid_t> group);
  /// Opens a socket for attempts in a sandbox (mode 0666): no peer counts as admitted, because such an agent
  /// may have our own user.
  Status listen_to_sandboxes(const std::string& path);
  /// Frames of one loop turn leave in one write. Unknown ids are ignored (the client is gone).
  void send(ConnectionId connection, const wire::ServerFrameT& frame);
  /// Like send(), but the frame waits until the next one to this connection, and precedes it.
  void send_along(ConnectionId connection, const wire::ServerFrameT& frame);
  /// The way without allocations: `build(FlatBufferBuilder&)` returns the Offset<wire::ServerFrame>.
  template <class Build>
  void send_built(ConnectionId connection, Build&& build) {
    flatbuffers::FlatBufferBuilder& builder = fresh_builder();
    builder.Finish(build(builder));
    send_finished(connection);
  }
  /// Whether the client is still there.
  bool is_open(ConnectionId connection) const;
  /// Whether streaming to this connection should pause until drained().
  bool full(ConnectionId connection) const;
  /// Bytes already sent still leave, within kLingerMs.
  void close(ConnectionId connection);
  /// Limits this client's requests to kFirstFrameBytes, also after its first one.
  void keep_frames_small(ConnectionId connection);
  std::size_t connections() const;
  /// Accepts no new connections. Calls `stopped` once all are closed; pending bytes are sent first, within
  /// kLingerMs.
  void stop(std::function<void()> stopped);

 private:
  flatbuffers::FlatBufferBuilder& fresh_builder();
  void send_finished(ConnectionId connection);

  struct State;
  std::shared_ptr<State> state_;  // keeps itself alive until libuv has closed the last handle
};

}  // namespace luzia
