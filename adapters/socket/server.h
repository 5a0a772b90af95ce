// The daemon's side of the socket, on libuv. Loop thread only.
#pragma once

#include <sys/types.h>
#include <uv.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/socket/frame.h"

namespace luzia {

/// SO_PEERCRED of the client.
struct Peer {
  uid_t uid;
  gid_t gid;
  pid_t pid;
};

using ConnectionId = std::uint64_t;

class SocketServer {
 public:
  struct Handlers {
    std::function<void(ConnectionId, const Peer&)> opened;
    std::function<void(ConnectionId, const wire::ClientFrame&)> received;  // frame valid during the call
    std::function<void(ConnectionId)> drained;  // queued bytes fell below kResumeBytes after a full()
    std::function<void(ConnectionId)> closed;
  };
  static constexpr std::size_t kFullBytes = 1 << 20;
  static constexpr std::size_t kResumeBytes = 256 << 10;

  SocketServer(uv_loop_t* loop, Handlers handlers);
  ~SocketServer();

  /// Binds `path` (mode 0600, or 0660 and group `gid`), replacing a dead socket; the caller holds the store's
  /// lock. Or takes over `inherited_fd` from systemd, which is never unlinked.
  Status listen(const std::string& path, std::optional<gid_t> group, std::optional<int> inherited_fd);
  /// Frames of one loop turn leave in one write. Unknown ids are ignored (the client has gone).
  void send(ConnectionId connection, const wire::ServerFrameT& frame);
  void send_encoded(ConnectionId connection, std::string frame);
  /// Whether streaming to this connection should pause until drained().
  bool full(ConnectionId connection) const;
  void close(ConnectionId connection);
  std::size_t connections() const;
  /// No new connections; `stopped` once all are closed (pending bytes are sent first, 2 s at most).
  void stop(std::function<void()> stopped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Where the socket is: `STORE/socket`, or a private directory under $XDG_RUNTIME_DIR or the temp folder when the
/// path is over 107 bytes. The directory's owner and mode are checked.
Result<std::string> socket_path(const std::string& store);

}  // namespace luzia
