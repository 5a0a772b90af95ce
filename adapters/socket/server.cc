#include "adapters/socket/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "adapters/socket/connection.h"

namespace luzia {
namespace {

constexpr std::size_t kScratchBytes = 64 << 10;
constexpr int kBacklog = 511;
constexpr std::uint64_t kSweepMs = 250;
/// No account. Agents in sandboxes, often of our own user, share a budget apart from that user's.
constexpr uid_t kSandboxedUsers = static_cast<uid_t>(-1);

tl::unexpected<Error> listen_error(int errno_value, const std::string& path) {
  return fail_errno(errno_value, "socket_listen", "listening on " + path,
                    "check that the directory exists and belongs to the daemon's user");
}

Status remove_dead_socket(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) {
    return fail(ErrorKind::refused, "socket_in_use", "listening on " + path + ": something else is there",
                "move it away, or use another store (--store)");
  }
  if (::unlink(path.c_str()) != 0) return listen_error(errno, path);
  return {};
}

/// The socket never has wider permissions than its final ones.
Result<int> bind_socket(const std::string& path, std::optional<gid_t> group, mode_t mode) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() > kMaxSocketPath) {
    return fail(ErrorKind::usage, "socket_listen",
                "listening on " + path + ": the path is too long for a socket",
                "use a store with a shorter path");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  LUZIA_TRY(remove_dead_socket(path));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return listen_error(errno, path);
  const bool bound = ::fchmod(fd, 0600) == 0 &&
                     ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                     (!group || ::chown(path.c_str(), static_cast<uid_t>(-1), *group) == 0) &&
                     ::chmod(path.c_str(), mode) == 0;
  if (!bound) {
    const int reason = errno;
    ::close(fd);
    return listen_error(reason, path);
  }
  return fd;
}

Status check_inherited(int fd) {
  int listening = 0;
  socklen_t size = sizeof listening;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
    return fail(ErrorKind::trouble, "socket_listen",
                "taking over descriptor " + std::to_string(fd) + ": it is not a listening socket",
                "the unit needs ListenStream=, and Accept=no");
  }
  return {};
}

bool is_member(int fd, const ucred& peer, gid_t group) {
  std::array<gid_t, 256> groups;
  socklen_t size = sizeof groups;
  if (peer.gid == group) return true;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return false;
  const auto end = groups.begin() + size / sizeof(gid_t);
  return std::find(groups.begin(), end, group) != end;
}

}  // namespace

struct SocketServer::State {
  /// A socket through which clients connect.
  struct Door {
    State* state = nullptr;
    bool for_attempts = false;
    bool for_sandboxes = false;
    std::optional<gid_t> group;  // its members are admitted
    uv_pipe_t handle{};
    bool open = false;
    std::string path;  // empty: nothing of ours to unlink
    ino_t inode = 0;
    dev_t device = 0;

    uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&handle); }
    bool admits(int fd, const ucred& peer) const {
      if (for_sandboxes) return false;
      return !for_attempts || peer.uid == 0 || peer.uid == ::geteuid() ||
             (group && is_member(fd, peer, *group));
    }
  };

  State(uv_loop_t* on_loop, Handlers to, const Limits& limits)
      : loop(on_loop),
        handlers(std::move(to)),
        budgets{BufferBudget(limits.unfinished, ::geteuid()), BufferBudget(limits.unread, ::geteuid())},
        of_connection{kFullBytes, kResumeBytes, kMaxQueuedBytes, limits.half_frame_ms} {
    events.received = [this](Connection& connection, const wire::ClientFrame& frame) {
      if (handlers.received) handlers.received(connection.id(), frame);
    };
    events.redactor = [this](Connection& connection, const wire::ClientFrame& frame) {
      return handlers.redactor ? handlers.redactor(connection.id(), frame) : nullptr;
    };
    events.drained = [this](Connection& connection) {
      if (handlers.drained) handlers.drained(connection.id());
    };
    events.lingers = [this](Connection&) { look_now_and_then(); };
    events.closed = [this](Connection& connection) { forget(connection); };
  }

  void start() {
    uv_prepare_init(loop, &prepare);
    uv_idle_init(loop, &idle);
    uv_timer_init(loop, &sweep);
    for (uv_handle_t* handle : own_handles()) {
      handle->data = this;
      uv_unref(handle);
    }
    open_handles = 3;
    uv_prepare_start(&prepare, [](uv_prepare_t* handle) { static_cast<State*>(handle->data)->flush(); });
  }

  std::array<uv_handle_t*, 3> own_handles() {
    return {reinterpret_cast<uv_handle_t*>(&prepare), reinterpret_cast<uv_handle_t*>(&idle),
            reinterpret_cast<uv_handle_t*>(&sweep)};
  }

  // libuv polls after prepare callbacks. An active idle handle keeps that poll from sleeping, so frames that
  // another prepare callback sends after this one also leave at once.
  void touch(Connection& connection) {
    if (dirty.empty()) uv_idle_start(&idle, [](uv_idle_t*) {});
    if (dirty.empty() || dirty.back() != connection.id()) dirty.push_back(connection.id());
  }

  void flush() {
    if (dirty.empty()) return;
    flushing.swap(dirty);
    uv_idle_stop(&idle);
    for (const ConnectionId id : flushing) {
      if (const auto found = connections.find(id); found != connections.end()) found->second->flush();
    }
    flushing.clear();
  }

  void accept(Door& door) {
    auto owned = std::make_unique<Connection>(++last_id, events, of_connection, budgets);
    Connection& connection = *owned;
    uv_pipe_init(loop, connection.pipe(), 0);
    ++open_handles;
    connections.emplace(connection.id(), std::move(owned));
    auto* stream = reinterpret_cast<uv_stream_t*>(connection.pipe());
    uv_os_fd_t fd = -1;
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (uv_accept(door.stream(), stream) != 0 ||
        uv_fileno(reinterpret_cast<uv_handle_t*>(stream), &fd) != 0 ||
        ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
      unannounced.push_back(connection.id());
      connection.drop();
      return;
    }
    connection.belongs_to(door.for_sandboxes ? kSandboxedUsers : credentials.uid);
    if (handlers.opened) {
      handlers.opened(connection.id(),
                      Peer{credentials.uid, credentials.gid, credentials.pid, door.admits(fd, credentials)});
    }
    if (!connection.leaving() && !connection.start_reading(scratch_buffer())) connection.drop();
  }

  uv_buf_t scratch_buffer() {
    return uv_buf_init(reinterpret_cast<char*>(scratch.data()), static_cast<unsigned>(kScratchBytes));
  }

  Connection* find(ConnectionId id) {
    const auto found = connections.find(id);
    return found == connections.end() ? nullptr : found->second.get();
  }

  void added(Connection& connection, bool accepted) {
    if (accepted) {
      touch(connection);
    } else if (!connection.leaving()) {
      connection.drop();
    }
  }

  void look_now_and_then() {
    if (uv_is_active(reinterpret_cast<uv_handle_t*>(&sweep)) == 0) {
      uv_timer_start(
          &sweep, [](uv_timer_t* timer) { static_cast<State*>(timer->data)->look_at_slow(); }, kSweepMs,
          kSweepMs);
    }
  }

  void look_at_slow() {
    bool some = false;
    for (const auto& [id, connection] : connections) {
      if (connection->leaving()) {
        some = true;
        if (uv_now(loop) - connection->leaving_since() >= kLingerMs) connection->drop();
      } else if (connection->half_closed()) {
        some = true;
        connection->look_for_reader();
      } else if (connection->within_frame()) {
        some = true;
        connection->look_for_progress();
      }
    }
    if (!some) uv_timer_stop(&sweep);
  }

  void forget(Connection& connection) {
    const ConnectionId id = connection.id();
    const bool announced = std::erase(unannounced, id) == 0;
    connections.erase(id);
    if (announced && handlers.closed) handlers.closed(id);
    handle_closed();
  }

  void handle_closed() {
    --open_handles;
    if (stopped && connections.empty() && !is_listening()) std::exchange(stopped, nullptr)();
    if (open_handles == 0) self.reset();
  }

  bool is_listening() const { return own.open || attempts.open || sandboxes.open; }

  void close_doors() {
    close(own);
    close(attempts);
    close(sandboxes);
  }

  static void close(Door& door) {
    auto* handle = reinterpret_cast<uv_handle_t*>(&door.handle);
    if (!door.open || uv_is_closing(handle) != 0) return;
    // Unlink only our own socket: a successor may already have created its own.
    struct stat status;
    if (!door.path.empty() && ::lstat(door.path.c_str(), &status) == 0 && status.st_ino == door.inode &&
        status.st_dev == door.device) {
      ::unlink(door.path.c_str());
    }
    uv_close(handle, [](uv_handle_t* closed) {
      auto& door = *static_cast<Door*>(closed->data);
      door.open = false;
      door.state->handle_closed();
    });
  }

  /// For a socket that was bound at `path`.
  static void remember_place(Door& door, const std::string& path) {
    struct stat status;
    if (::lstat(path.c_str(), &status) == 0) {
      door.path = path;
      door.inode = status.st_ino;
      door.device = status.st_dev;
    }
  }

  /// Takes ownership of `fd`.
  Status open(Door& door, int fd, const std::string& path) {
    door.state = this;
    uv_pipe_init(loop, &door.handle, 0);
    door.handle.data = &door;
    door.open = true;
    ++open_handles;
    int status = uv_pipe_open(&door.handle, fd);
    if (status == 0) {
      status = uv_listen(door.stream(), kBacklog, [](uv_stream_t* listener, int accepted) {
        auto& at = *static_cast<Door*>(listener->data);
        if (accepted == 0) at.state->accept(at);
      });
    } else {
      ::close(fd);
    }
    if (status != 0) {
      close(door);
      return listen_error(-status, path);
    }
    return {};
  }

  uv_loop_t* loop;
  Handlers handlers;
  Connection::Events events;
  Connection::Budgets budgets;  // outlive the connections
  Connection::Limits of_connection;
  Door own, attempts, sandboxes;
  uv_prepare_t prepare{};
  uv_idle_t idle{};
  uv_timer_t sweep{};
  ConnectionId last_id = 0;
  std::unordered_map<ConnectionId, std::unique_ptr<Connection>> connections;
  std::vector<ConnectionId> unannounced;  // failed before opened()
  std::vector<ConnectionId> dirty, flushing;
  std::vector<std::uint64_t> scratch = std::vector<std::uint64_t>(kScratchBytes / 8);
  flatbuffers::FlatBufferBuilder builder{4096};
  std::function<void()> stopped;
  int open_handles = 0;
  std::shared_ptr<State> self;
};

SocketServer::SocketServer(uv_loop_t* loop, Handlers handlers, Limits limits)
    : state_(std::make_shared<State>(loop, std::move(handlers), limits)) {
  state_->self = state_;
  state_->start();
}

SocketServer::~SocketServer() {
  state_->handlers = {};
  state_->stopped = nullptr;
  state_->close_doors();
  for (const auto& [id, connection] : state_->connections) connection->drop();
  for (uv_handle_t* handle : state_->own_handles()) {
    uv_close(handle, [](uv_handle_t* closed) { static_cast<State*>(closed->data)->handle_closed(); });
  }
}

Status SocketServer::listen(const std::string& path, std::optional<gid_t> group,
                            std::optional<int> inherited_fd) {
  State& state = *state_;
  int fd = -1;
  if (inherited_fd) {
    LUZIA_TRY(check_inherited(*inherited_fd));
    // The inherited descriptor stays open: a daemon that re-executes itself takes it over again.
    fd = ::fcntl(*inherited_fd, F_DUPFD_CLOEXEC, *inherited_fd + 1);
    if (fd < 0) return listen_error(errno, path);
  } else {
    const int bound = LUZIA_TRY(bind_socket(path, group, group ? 0660 : 0600));
    fd = bound;
    State::remember_place(state.own, path);
  }
  return state.open(state.own, fd, path);
}

Status SocketServer::listen_to_attempts(const std::string& path, std::optional<gid_t> group) {
  const int bound = LUZIA_TRY(bind_socket(path, std::nullopt, 0666));
  State::Door& door = state_->attempts;
  door.for_attempts = true;
  door.group = group;
  State::remember_place(door, path);
  return state_->open(door, bound, path);
}

Status SocketServer::listen_to_sandboxes(const std::string& path) {
  const int bound = LUZIA_TRY(bind_socket(path, std::nullopt, 0666));
  State::Door& door = state_->sandboxes;
  door.for_sandboxes = true;
  State::remember_place(door, path);
  return state_->open(door, bound, path);
}

void SocketServer::send(ConnectionId connection, const wire::ServerFrameT& frame) {
  send_built(connection, [&](flatbuffers::FlatBufferBuilder& builder) {
    return wire::CreateServerFrame(builder, &frame);
  });
}

void SocketServer::send_along(ConnectionId connection, const wire::ServerFrameT& frame) {
  Connection* to = state_->find(connection);
  if (to == nullptr) return;
  flatbuffers::FlatBufferBuilder& builder = fresh_builder();
  builder.Finish(wire::CreateServerFrame(builder, &frame));
  if (!to->add(builder) && !to->leaving()) to->drop();
}

flatbuffers::FlatBufferBuilder& SocketServer::fresh_builder() {
  state_->builder.Clear();
  return state_->builder;
}

void SocketServer::send_finished(ConnectionId connection) {
  if (Connection* to = state_->find(connection)) state_->added(*to, to->add(state_->builder));
}

bool SocketServer::is_open(ConnectionId connection) const {
  const Connection* found = state_->find(connection);
  return found != nullptr && !found->leaving();
}

bool SocketServer::full(ConnectionId connection) const {
  const Connection* found = state_->find(connection);
  return found != nullptr && found->full();
}

void SocketServer::close(ConnectionId connection) {
  if (Connection* found = state_->find(connection)) found->leave();
}

void SocketServer::keep_frames_small(ConnectionId connection) {
  if (Connection* found = state_->find(connection)) found->keep_frames_small();
}

std::size_t SocketServer::connections() const {
  return state_->connections.size();
}

void SocketServer::stop(std::function<void()> stopped) {
  if (!state_->is_listening() && state_->connections.empty()) {
    stopped();
    return;
  }
  state_->stopped = std::move(stopped);
  state_->close_doors();
  for (const auto& [id, connection] : state_->connections) connection->leave();
}

}  // namespace luzia
