#include "adapters/socket/client.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <vector>

#include "adapters/socket/inbox.h"
#include "adapters/socket/listener.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPostedBytes = 256 << 10;
// Of the buffers of a client that waits for its next user.
constexpr std::size_t kMostKeptBytes = 1 << 20;
// The id of pings, which check whether the daemon is alive.
constexpr std::uint64_t kPingId = std::numeric_limits<std::uint64_t>::max();

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

/// The credential that lets an attempt act for its job. Empty: we are not in an attempt, or the daemon is not
/// that attempt's, so it must not learn it.
struct Introduction {
  std::string job, credential;
  std::uint32_t attempt = 0;
};

Introduction introduction_at(const std::string& socket_path) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const auto attempt = parse_whole_number<std::uint32_t>(variable("LUZIA_ATTEMPT"));
  Introduction own{variable("LUZIA_JOB_ID"), variable("LUZIA_CREDENTIAL"), attempt.value_or(0)};
  const bool is_whole =
      !own.job.empty() && !own.credential.empty() && attempt && socket_path == variable("LUZIA_SOCKET");
  return is_whole ? own : Introduction{};
}

/// Whether the answer may take days.
bool may_take_for_ever(const wire::RequestUnion& request) {
  const auto* follow = request.AsFollow();
  const auto* tail = request.AsTail();
  return request.type == wire::Request::Wait || request.type == wire::Request::AwaitInput ||
         (follow != nullptr && follow->live) || (tail != nullptr && tail->live);
}

bool is_stream(const wire::RequestUnion& request) {
  return request.type == wire::Request::Tail || may_take_for_ever(request);
}

using Deadline = std::optional<Clock::time_point>;

/// The shorter of the time until the deadline and `slice` (negative: no limit); negative: no limit.
std::chrono::milliseconds least_of(Deadline deadline, std::chrono::milliseconds slice) {
  if (!deadline) return slice;
  const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()),
                             std::chrono::milliseconds(0));
  return slice.count() < 0 ? left : std::min(left, slice);
}

/// Blocks only while the daemon's backlog is full, which happens if the daemon hangs. 0 or errno.
Result<int> connect_within(Vigil& vigil, int fd, const sockaddr_un& address) {
  while (true) {
    const Vigil::Duration slice = std::max(vigil.slice(), Vigil::Duration(0));
    const timeval timeout{slice.count() / 1'000, (slice.count() % 1'000) * 1'000};
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return 0;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    LUZIA_TRY(vigil.waited(slice));
  }
}

}  // namespace

struct Client::State {
  State(int connected, Vigil over, std::unique_ptr<Carrier> by = {})
      : carrier(std::move(by)), fd(connected), vigil(std::move(over)) {}

  std::unique_ptr<Carrier> carrier;  // null: the daemon is on this machine
  std::uint64_t carried = 0;         // bytes since the last request
  const Clock::time_point begun = Clock::now();
  bool streams = false;
  int fd;
  Vigil vigil;
  std::optional<Error> silent;  // found while waiting for something else; the next receive() returns it
  std::uint64_t last_id = 0;
  flatbuffers::FlatBufferBuilder builder{1024};
  std::string out;
  Inbox inbox;
  std::deque<std::vector<std::uint64_t>> kept;  // frames that ask() skipped
  std::size_t kept_bytes = 0;
  std::vector<std::uint64_t> given;  // the kept frame that receive() returned last

  ~State() {
    if (fd >= 0) ::close(fd);
  }

  std::uint64_t pack(const wire::RequestUnion& request) {
    pack_as(++last_id, request);
    vigil.owed();
    carried = 0;
    streams = streams || is_stream(request);
    if (may_take_for_ever(request)) vigil.stays();
    return last_id;
  }

  void pack_as(std::uint64_t id, const wire::RequestUnion& request) {
    builder.Clear();
    const auto packed = request.Pack(builder);
    builder.Finish(wire::CreateClientFrame(builder, id, request.type, packed));
    append_frame(out, builder);
  }

  /// Does not wait: bytes that the kernel does not accept go with the next request.
  void ping() {
    pack_as(kPingId, request_of(wire::ControlT()));
    const ssize_t count = ::send(fd, out.data(), out.size(), MSG_NOSIGNAL);
    if (count > 0) out.erase(0, static_cast<std::size_t>(count));
  }

  struct Ready {
    short events = 0;     // on the connection
    bool beside = false;  // that descriptor is readable
    bool interrupted = false;
  };
  /// Sleeps until a descriptor is ready, a signal arrives or the deadline passes. Checks the silence limit
  /// meanwhile.
  Result<Ready> sleep(short events, int beside, Deadline deadline) {
    while (true) {
      const auto slice = least_of(deadline, vigil.slice());
      pollfd waiting[] = {{fd, events, 0}, {beside, POLLIN, 0}};
      const auto began = Clock::now();
      const int count = ::poll(waiting, 2, static_cast<int>(std::min<std::int64_t>(slice.count(), 1 << 30)));
      const Ready ready{count > 0 ? waiting[0].revents : short{0}, count > 0 && waiting[1].revents != 0,
                        count < 0};
      if (ready.events != 0) return ready;
      const auto slept = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
      const auto next = vigil.waited(slice.count() < 0 ? slept : std::min(slept, slice));
      if (!next) return given_up(next.error());
      if (*next == Vigil::Next::ping && (events & POLLOUT) == 0) ping();
      if (count != 0 || (deadline && Clock::now() >= *deadline)) return ready;
    }
  }

  Result<bool> read() {
    const std::size_t before = inbox.size();
    auto read = inbox.read(fd);
    if (!read) return lost(read.error());
    if (*read) vigil.alive();
    carried += inbox.size() - before;
    if (carrier && !streams && carried > kMostCarriedBytes) return lost(too_many_replies().value());
    if (vigil.is_over(Clock::now() - begun)) return given_up(vigil.too_long().value());
    return read;
  }

  tl::unexpected<Error> lost(Error error) {
    return tl::unexpected(carrier ? carrier->explained(std::move(error)) : std::move(error));
  }

  tl::unexpected<Error> given_up(Error error) {
    if (carrier) carrier->give_up();
    return tl::unexpected(std::move(error));
  }

  /// Queues the connection's first frame; its id is 0, which is reserved for the connection.
  void greet(const std::string& socket_path) { greet(introduction_at(socket_path), "", ""); }
  void greet(const Introduction& own, const std::string& person, const std::string& device) {
    builder.Clear();
    const auto hello = wire::CreateHelloDirect(builder, kProtocolVersion, LUZIA_VERSION,
                                               ::program_invocation_short_name, own.job.c_str(), own.attempt,
                                               own.credential.c_str(), person.c_str(), device.c_str());
    builder.Finish(wire::CreateClientFrame(builder, 0, wire::Request::Hello, hello.Union()));
    append_frame(out, builder);
  }

  /// Handles a frame with id 0. Only a Welcome matters, and only one of another protocol is an error.
  Status welcomed(const wire::ServerFrame& frame) {
    const wire::Welcome* welcome = frame.reply_as_Welcome();
    if (welcome == nullptr) return {};
    if (!carrier) vigil.daemon_is(static_cast<pid_t>(welcome->pid()));
    if (frame.id() == kPingId) return {};
    if (auto gap =
            version_gap(kProtocolVersion, LUZIA_VERSION, welcome->protocol(), text_of(welcome->version()))) {
      return lost(std::move(*gap));
    }
    return {};
  }

  Status write_out() {
    std::size_t done = 0;
    bool waited = false;
    while (done < out.size()) {
      const ssize_t count = ::send(fd, out.data() + done, out.size() - done, MSG_NOSIGNAL);
      if (count >= 0) {
        done += static_cast<std::size_t>(count);
        // Data accepted at once may still be in the kernel's buffer, so it is no sign of life.
        if (waited) {
          vigil.alive();
          vigil.owed();
        }
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN) {
        const std::string why = std::strerror(errno);
        out.clear();
        return lost(connection_lost(why).value());
      }
      waited = true;
      const auto ready = sleep(POLLIN | POLLOUT, -1, std::nullopt);
      if (!ready) {
        out.clear();
        return tl::unexpected(ready.error());
      }
      if ((ready->events & POLLIN) != 0) {
        LUZIA_TRY(read());
      }
    }
    out.clear();
    return {};
  }

  /// False if the deadline has passed.
  Result<bool> wait_and_read(Deadline deadline) {
    while (true) {
      auto more = read();
      if (!more || *more) return more;
      if (deadline && Clock::now() >= *deadline) return false;
      const auto ready = LUZIA_TRY(sleep(POLLIN, -1, deadline));
      if (ready.interrupted) {
        // A signal ends the wait like a timeout: the caller decides whether to continue.
        return false;
      }
    }
  }

  Result<const wire::ServerFrame*> receive_new(Deadline deadline) {
    if (silent) return tl::unexpected(*silent);
    while (true) {
      // Return frames that have arrived before flushing, so that requests posted meanwhile leave in one
      // write.
      auto next = inbox.next();
      if (!next) return lost(next.error());
      if (*next != nullptr) {
        const bool own =
            (*next)->id() == kPingId || ((*next)->id() == 0 && (*next)->reply_type() != wire::Reply::Refused);
        if (!own) return next;
        LUZIA_TRY(welcomed(**next));
        continue;
      }
      if (!out.empty()) {
        LUZIA_TRY(write_out());
        continue;  // writing may have read something too
      }
      const auto more = LUZIA_TRY(wait_and_read(deadline));
      if (!more) return nullptr;
    }
  }

  Status keep_last() {
    const Bytes frame = inbox.last();
    if (kept_bytes + frame.size() > kMostWaitingBytes) return too_many_replies();
    std::vector<std::uint64_t> copy((frame.size() + 7) / 8);
    std::memcpy(copy.data(), frame.data(), frame.size());
    kept_bytes += copy.size() * sizeof(std::uint64_t);
    kept.push_back(std::move(copy));
    return {};
  }

  const wire::ServerFrame* give_kept() {
    given = std::move(kept.front());
    kept.pop_front();
    kept_bytes -= given.size() * sizeof(std::uint64_t);
    return flatbuffers::GetRoot<wire::ServerFrame>(given.data());
  }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const std::string& socket_path, SilenceLimit silence) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() > kMaxSocketPath) {
    return fail(ErrorKind::usage, "socket_path",
                "connecting to '" + socket_path + "': not a possible socket path", "check $LUZIA_SOCKET");
  }
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return connect_error(errno, socket_path);
  Vigil vigil(std::move(silence));
  vigil.owed();
  const auto reason = connect_within(vigil, fd, address);
  if (!reason || *reason != 0) {
    ::close(fd);
    return reason ? connect_error(*reason, socket_path) : tl::unexpected(reason.error());
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
  vigil.daemon_is(known ? server.pid : 0);
  auto state = std::make_unique<State>(fd, std::move(vigil));
  state->greet(socket_path);
  return Client(std::move(state));
}

Client Client::over(Descriptor connected, SilenceLimit silence, std::unique_ptr<Carrier> carrier) {
  const int no_wait = 1;
  ::ioctl(connected.get(), FIONBIO, &no_wait);
  auto state = std::make_unique<State>(connected.release(), Vigil(std::move(silence)), std::move(carrier));
  state->greet(Introduction(), "", "");
  return Client(std::move(state));
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
    LUZIA_TRY(state_->write_out());
  }
  return id;
}

Result<std::uint64_t> Client::send(const wire::RequestUnion& request) {
  auto id = post(request);
  if (!id) return id;
  LUZIA_TRY(state_->write_out());
  return id;
}

void Client::forgo_hello() {
  state_->out.clear();
}

void Client::act_at(const std::string& device) {
  state_->out.clear();
  state_->greet(Introduction(), "", device);
}

void Client::speak_for(const std::string& person) {
  state_->out.clear();
  state_->greet(Introduction(), person, "");
}

Status Client::flush() {
  return state_->write_out();
}

Result<const wire::ServerFrame*> Client::receive(std::chrono::milliseconds timeout) {
  if (!state_->kept.empty()) return state_->give_kept();
  Deadline deadline;
  if (timeout.count() >= 0) deadline = Clock::now() + timeout;
  return state_->receive_new(deadline);
}

Result<const wire::ServerFrame*> Client::next() {
  while (true) {
    auto frame = receive();
    if (!frame) return tl::unexpected(frame.error());
    if (*frame == nullptr) continue;
    if (const wire::Refused* refused = (*frame)->reply_as_Refused()) {
      return tl::unexpected(error_of(*refused));
    }
    return frame;
  }
}

Result<std::unique_ptr<wire::ServerFrameT>> Client::ask(const wire::RequestUnion& request, const Wait& wait) {
  const auto id = LUZIA_TRY(send(request));
  Deadline deadline;
  if (wait) {
    deadline = Clock::now();  // only frames already available
  }
  while (true) {
    const auto frame = LUZIA_TRY(state_->receive_new(deadline));
    if (frame == nullptr) {
      LUZIA_TRY(wait ? wait(*this) : Status());
      continue;
    }
    const wire::Refused* refused = frame->reply_as_Refused();
    if (refused != nullptr && (frame->id() == id || frame->id() == 0)) {
      return tl::unexpected(error_of(*refused));
    }
    if (frame->id() == id) return std::unique_ptr<wire::ServerFrameT>(frame->UnPack());
    LUZIA_TRY(state_->keep_last());
  }
}

Readable Client::wait_beside(int beside, Clock::time_point until) {
  const bool for_ever = until == Clock::time_point::max();
  const auto ready = state_->sleep(POLLIN, beside, for_ever ? Deadline() : Deadline(until));
  if (!ready) {
    state_->silent = ready.error();
    return {false, true};
  }
  return {ready->beside, ready->events != 0};
}

Readable Client::wait_beside(int beside, std::chrono::milliseconds timeout) {
  return wait_beside(beside, timeout.count() < 0 ? Clock::time_point::max() : Clock::now() + timeout);
}

Error Client::error_of(const wire::Refused& refused) const {
  Error error = error_from(refused);
  return state_->carrier ? state_->carrier->of_machine(std::move(error)) : error;
}

bool Client::can_be_kept() const {
  const State& state = *state_;
  pollfd waiting{state.fd, POLLIN, 0};
  return state.out.empty() && state.inbox.empty() && state.kept.empty() && !state.silent && holds_little() &&
         ::poll(&waiting, 1, 0) == 0;
}

bool Client::holds_little() const {
  return state_->out.capacity() + state_->inbox.capacity() <= kMostKeptBytes;
}

int Client::fd() const {
  return state_->fd;
}

std::optional<Error> version_gap(std::uint32_t client_protocol, std::string_view client_version,
                                 std::uint32_t daemon_protocol, std::string_view daemon_version) {
  if (client_protocol == 0 || daemon_protocol == 0 || client_protocol == daemon_protocol) return std::nullopt;
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

bool starts_over(const Error& error) {
  return error.code == "commit_failed" || error.code == "views_damaged" || error.code == "views_failed";
}

Error error_from(const wire::Refused& refused) {
  return make_error(refused.exit_code(), text_of(refused.code()), text_of(refused.message()),
                    text_of(refused.hint()));
}

Error error_from(const wire::RefusedT& refused) {
  return make_error(refused.exit_code, refused.code, refused.message, refused.hint);
}

}  // namespace luzia
