#include "adapters/socket/client.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "adapters/socket/listener.h"
#include "adapters/socket/socket_path.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kPostedBytes = 256 << 10;

tl::unexpected<Error> lost(const std::string& why) {
  return fail(ErrorKind::trouble, "connection_lost", "talking to the daemon: " + why,
              "what was asked may have been done: look, then repeat it with the same --command-id");
}

tl::unexpected<Error> connect_error(int reason, const std::string& path) {
  if (reason == EACCES || reason == EPERM) {
    return fail(
        ErrorKind::refused, "socket_refused", "connecting to " + path + ": permission denied",
        "the daemon belongs to another user; ask its owner for access, or use your own store (--store)");
  }
  if (reason == ENOENT || reason == ECONNREFUSED || reason == ENOTDIR) {
    return fail(ErrorKind::trouble, "no_daemon", "connecting to " + path + ": no daemon listens there",
                "luzia daemon start");
  }
  return fail_errno(reason, "socket_connect", "connecting to " + path);
}

Error make_error(std::uint8_t exit_code, std::string code, std::string message, std::string hint) {
  const bool known =
      exit_code >= static_cast<int>(ErrorKind::usage) && exit_code <= static_cast<int>(ErrorKind::trouble);
  return Error{known ? static_cast<ErrorKind>(exit_code) : ErrorKind::trouble, std::move(code),
               std::move(message), std::move(hint)};
}

std::string text_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string() : text->str();
}

/// What an attempt was given to speak for its job. Empty: this is none, or another daemon than its own is
/// called, whom it is no business of.
struct Introduction {
  std::string job, credential;
  std::uint32_t attempt = 0;
};

Introduction introduction_at(const std::string& socket_path) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  Introduction own{variable("LUZIA_JOB_ID"), variable("LUZIA_CREDENTIAL"), 0};
  const std::string attempt = variable("LUZIA_ATTEMPT");
  const char* end = attempt.data() + attempt.size();
  const auto parsed = std::from_chars(attempt.data(), end, own.attempt);
  const bool is_whole = !own.job.empty() && !own.credential.empty() && parsed.ec == std::errc() &&
                        parsed.ptr == end && socket_path == variable("LUZIA_SOCKET");
  return is_whole ? own : Introduction{};
}

/// Bytes received and not yet given out, read straight into place.
class Inbox {
 public:
  /// The next whole frame, aligned; nullptr when it is not all there.
  Result<const wire::ServerFrame*> next() {
    const Bytes bytes(data() + begin_, end_ - begin_);
    const auto size = frame_size(bytes);
    if (!size) {
      return tl::unexpected(size.error());
    }
    if (!size->has_value() || bytes.size() < kFrameHeaderBytes + **size) {
      return nullptr;
    }
    begin_ += kFrameHeaderBytes + **size;
    Bytes frame = bytes.subspan(kFrameHeaderBytes, **size);
    if (reinterpret_cast<std::uintptr_t>(frame.data()) % 8 != 0) {
      aligned_.resize((frame.size() + 7) / 8);
      std::memcpy(aligned_.data(), frame.data(), frame.size());
      frame = {reinterpret_cast<const std::uint8_t*>(aligned_.data()), frame.size()};
    }
    last_ = frame;
    return parse_server_frame(frame);
  }
  Bytes last() const { return last_; }

  /// Reads what is there, once. Error, or whether there was anything.
  Result<bool> read(int fd) {
    make_room();
    const ssize_t count = ::recv(fd, data() + end_, memory_.size() * 8 - end_, 0);
    if (count > 0) {
      end_ += static_cast<std::size_t>(count);
      return true;
    }
    if (count == 0) {
      return lost("it closed the connection");
    }
    if (errno == EAGAIN || errno == EINTR) {
      return false;
    }
    return lost(std::strerror(errno));
  }

 private:
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(memory_.data()); }

  void make_room() {
    if (begin_ == end_) {
      begin_ = end_ = 0;
    }
    if (memory_.size() * 8 - end_ >= kReadBytes / 2) {
      return;
    }
    std::memmove(data(), data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (memory_.size() * 8 - end_ < kReadBytes / 2) {
      memory_.resize(memory_.size() * 2);
    }
  }

  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(kReadBytes / 8);
  std::vector<std::uint64_t> aligned_;
  std::size_t begin_ = 0, end_ = 0;
  Bytes last_;
};

}  // namespace

struct Client::State {
  int fd = -1;
  std::uint64_t last_id = 0;
  flatbuffers::FlatBufferBuilder builder{1024};
  std::string out;
  Inbox inbox;
  std::deque<std::vector<std::uint64_t>> kept;  // frames that ask() passed over
  std::vector<std::uint64_t> given;             // the kept frame that receive() gave out last

  ~State() {
    if (fd >= 0) {
      ::close(fd);
    }
  }

  std::uint64_t pack(const wire::RequestUnion& request) {
    builder.Clear();
    const auto packed = request.Pack(builder);
    builder.Finish(wire::CreateClientFrame(builder, ++last_id, request.type, packed));
    append_frame(out, builder);
    return last_id;
  }

  /// The first frame of the connection; its id, 0, is the connection's own.
  void greet(const std::string& socket_path) {
    builder.Clear();
    const Introduction own = introduction_at(socket_path);
    const auto hello =
        wire::CreateHelloDirect(builder, kProtocolVersion, LUZIA_VERSION, ::program_invocation_short_name,
                                own.job.c_str(), own.attempt, own.credential.c_str());
    builder.Finish(wire::CreateClientFrame(builder, 0, wire::Request::Hello, hello.Union()));
    append_frame(out, builder);
  }

  /// A frame of the connection's own. Only a Welcome means something, and that of a daemon of the same
  /// protocol nothing.
  static Status welcomed(const wire::ServerFrame& frame) {
    const wire::Welcome* welcome = frame.reply_as_Welcome();
    if (welcome == nullptr) {
      return {};
    }
    if (auto gap =
            version_gap(kProtocolVersion, LUZIA_VERSION, welcome->protocol(), text_of(welcome->version()))) {
      return tl::unexpected(std::move(*gap));
    }
    return {};
  }

  Status write_out() {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t count = ::send(fd, out.data() + done, out.size() - done, MSG_NOSIGNAL);
      if (count >= 0) {
        done += static_cast<std::size_t>(count);
        continue;
      }
      if (errno == EINTR) {
        continue;
      }
      if (errno != EAGAIN) {
        const std::string why = std::strerror(errno);
        out.clear();
        return lost(why);
      }
      pollfd waiting{fd, POLLIN | POLLOUT, 0};
      ::poll(&waiting, 1, -1);
      if ((waiting.revents & POLLIN) != 0) {
        if (const auto read = inbox.read(fd); !read) {
          return tl::unexpected(read.error());
        }
      }
    }
    out.clear();
    return {};
  }

  /// False at the deadline.
  Result<bool> wait_and_read(std::optional<Clock::time_point> deadline) {
    while (true) {
      auto read = inbox.read(fd);
      if (!read || *read) {
        return read;
      }
      int timeout_ms = -1;
      if (deadline) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
        if (left <= 0) {
          return false;
        }
        timeout_ms = static_cast<int>(std::min<long>(left, 1 << 30));
      }
      pollfd waiting{fd, POLLIN, 0};
      if (::poll(&waiting, 1, timeout_ms) < 0 && errno == EINTR) {
        // A signal ends the wait as a timeout does: the caller decides whether to go on.
        return false;
      }
    }
  }

  Result<const wire::ServerFrame*> receive_new(std::optional<Clock::time_point> deadline) {
    while (true) {
      // What has arrived is given out first, so that the requests posted meanwhile leave in one write.
      auto next = inbox.next();
      if (!next) {
        return next;
      }
      if (*next != nullptr) {
        if ((*next)->id() != 0 || (*next)->reply_type() == wire::Reply::Refused) {
          return next;
        }
        if (const Status fits = welcomed(**next); !fits) {
          return tl::unexpected(fits.error());
        }
        continue;
      }
      if (!out.empty()) {
        if (const Status written = write_out(); !written) {
          return tl::unexpected(written.error());
        }
        continue;  // writing may have read too
      }
      const auto more = wait_and_read(deadline);
      if (!more) {
        return tl::unexpected(more.error());
      }
      if (!*more) {
        return nullptr;
      }
    }
  }

  void keep_last() {
    const Bytes frame = inbox.last();
    std::vector<std::uint64_t> copy((frame.size() + 7) / 8);
    std::memcpy(copy.data(), frame.data(), frame.size());
    kept.push_back(std::move(copy));
  }
};

Client::Client(int fd, const std::string& socket_path) : state_(std::make_unique<State>()) {
  state_->fd = fd;
  state_->greet(socket_path);
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() > kMaxSocketPath) {
    return fail(ErrorKind::usage, "socket_path",
                "connecting to '" + socket_path + "': not a possible socket path", "check $LUZIA_SOCKET");
  }
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return connect_error(errno, socket_path);
  }
  // Connecting blocks only while the daemon's backlog is full.
  int reason = 0;
  while (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    reason = errno;
    if (reason != EINTR) {
      ::close(fd);
      return connect_error(reason, socket_path);
    }
  }
  ucred server{};
  socklen_t size = sizeof server;
  const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &server, &size) == 0;
  if (const Status trusted = known ? check_listener(socket_path, server.uid) : Status(); !trusted) {
    ::close(fd);
    return tl::unexpected(trusted.error());
  }
  const int no_wait = 1;
  ::ioctl(fd, FIONBIO, &no_wait);
  return Client(fd, socket_path);
}

Result<std::uint64_t> Client::post(const wire::RequestUnion& request) {
  const std::size_t before = state_->out.size();
  const std::uint64_t id = state_->pack(request);
  if (state_->out.size() - before > kMaxFrameBytes) {
    state_->out.resize(before);
    return fail(ErrorKind::usage, "request_too_big", "sending a request: it is over 16 MiB",
                "split it, for instance a batch into several");
  }
  if (state_->out.size() > kPostedBytes) {
    if (const Status written = state_->write_out(); !written) {
      return tl::unexpected(written.error());
    }
  }
  return id;
}

Result<std::uint64_t> Client::send(const wire::RequestUnion& request) {
  auto id = post(request);
  if (!id) {
    return id;
  }
  if (const Status written = state_->write_out(); !written) {
    return tl::unexpected(written.error());
  }
  return id;
}

void Client::forgo_hello() {
  state_->out.clear();
}

Status Client::flush() {
  return state_->write_out();
}

Result<const wire::ServerFrame*> Client::receive(std::chrono::milliseconds timeout) {
  if (!state_->kept.empty()) {
    state_->given = std::move(state_->kept.front());
    state_->kept.pop_front();
    return flatbuffers::GetRoot<wire::ServerFrame>(state_->given.data());
  }
  std::optional<Clock::time_point> deadline;
  if (timeout.count() >= 0) {
    deadline = Clock::now() + timeout;
  }
  return state_->receive_new(deadline);
}

Result<const wire::ServerFrame*> Client::next() {
  while (true) {
    auto frame = receive();
    if (!frame) {
      return tl::unexpected(frame.error());
    }
    if (*frame == nullptr) {
      continue;
    }
    if (const wire::Refused* refused = (*frame)->reply_as_Refused()) {
      return tl::unexpected(error_from(*refused));
    }
    return frame;
  }
}

Result<std::unique_ptr<wire::ServerFrameT>> Client::ask(const wire::RequestUnion& request, const Wait& wait) {
  const auto id = send(request);
  if (!id) {
    return tl::unexpected(id.error());
  }
  std::optional<Clock::time_point> deadline;
  if (wait) {
    deadline = Clock::now();  // what is at hand
  }
  while (true) {
    const auto frame = state_->receive_new(deadline);
    if (!frame) {
      return tl::unexpected(frame.error());
    }
    if (*frame == nullptr) {
      const Status waited = wait ? wait(state_->fd) : Status();
      if (!waited) {
        return tl::unexpected(waited.error());
      }
      continue;
    }
    const wire::Refused* refused = (*frame)->reply_as_Refused();
    if (refused != nullptr && ((*frame)->id() == *id || (*frame)->id() == 0)) {
      return tl::unexpected(error_from(*refused));
    }
    if ((*frame)->id() == *id) {
      return std::unique_ptr<wire::ServerFrameT>((*frame)->UnPack());
    }
    state_->keep_last();
  }
}

int Client::fd() const {
  return state_->fd;
}

std::optional<Error> version_gap(std::uint32_t client_protocol, std::string_view client_version,
                                 std::uint32_t daemon_protocol, std::string_view daemon_version) {
  if (client_protocol == 0 || daemon_protocol == 0 || client_protocol == daemon_protocol) {
    return std::nullopt;
  }
  const auto side = [](std::string_view version, std::uint32_t protocol) {
    return "(" + std::string(version) + ") speaks protocol " + std::to_string(protocol);
  };
  const bool old_daemon = daemon_protocol < client_protocol;
  const std::string message = "the daemon " + side(daemon_version, daemon_protocol) + ", this program " +
                              side(client_version, client_protocol);
  return Error{ErrorKind::trouble, old_daemon ? "daemon_too_old" : "client_too_old", message,
               old_daemon ? "luzia daemon restart starts the installed version; running jobs are not touched"
                          : "use the programs that were installed with the daemon: luzia --version"};
}

Error error_from(const wire::Refused& refused) {
  return make_error(refused.exit_code(), text_of(refused.code()), text_of(refused.message()),
                    text_of(refused.hint()));
}

Error error_from(const wire::RefusedT& refused) {
  return make_error(refused.exit_code, refused.code, refused.message, refused.hint);
}

}  // namespace luzia
