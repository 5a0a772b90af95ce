#include "bench/harness/least_door.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <string_view>

#include "adapters/socket/frame.h"
#include "bench/harness/driving.h"
#include "engine/base/descriptor.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kDoorReadBytes = 64 << 10;
constexpr int kDoorBacklog = 16;
constexpr std::string_view kJobRequest = "GET /v1/jobs/", kHeadEnd = "\r\n\r\n";

Descriptor door_at_any_port(std::uint16_t& port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener || ::bind(listener.get(), any, size) != 0 || ::listen(listener.get(), kDoorBacklog) != 0 ||
      ::getsockname(listener.get(), any, &size) != 0)
    give_up("cannot listen at 127.0.0.1");
  port = ntohs(address.sin_port);
  return listener;
}

Descriptor door_to_daemon(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Descriptor daemon(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (path.size() >= sizeof address.sun_path) give_up("the name of " + path + " is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  if (!daemon || ::connect(daemon.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("nothing listens at " + path);
  return daemon;
}

/// What the process of its own does.
class LeastServer {
 public:
  LeastServer(int listener, int daemon)
      : listener_(listener), daemon_(daemon), events_(epoll_create1(EPOLL_CLOEXEC)) {}

  [[noreturn]] void serve() {
    wire::ClientFrameT hello;
    wire::HelloT words;
    words.protocol = kProtocolVersion;
    words.version = LUZIA_VERSION;
    hello.request.Set(std::move(words));
    send_all(daemon_, encode(hello));
    watch(listener_);
    watch(daemon_);
    std::array<epoll_event, 64> ready{};
    while (true) {
      const int count = epoll_wait(events_.get(), ready.data(), static_cast<int>(ready.size()), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = ready[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_) {
          accept_one();
        } else if (fd == daemon_) {
          hear_daemon();
        } else {
          hear_client(fd);
        }
      }
    }
  }

 private:
  [[noreturn]] static void end() { ::_exit(1); }  // the parent's connections notice

  void watch(int fd) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = fd;
    if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) end();
  }

  static void send_all(int fd, std::string_view bytes) {
    if (::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) end();
  }

  void accept_one() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int one = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    watch(client);
  }

  std::string_view read_some(int fd) {
    const ssize_t size = ::recv(fd, memory_.data(), memory_.size(), 0);
    return {memory_.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  void hear_client(int client) {
    const std::string_view bytes = read_some(client);
    std::string& head = heads_[client];
    head += bytes;
    if (bytes.empty()) {
      heads_.erase(client);
      ::close(client);
      return;
    }
    if (!head.ends_with(kHeadEnd)) return;
    if (head.starts_with(kJobRequest)) {
      ask(client, head.substr(kJobRequest.size(), head.find(' ', kJobRequest.size()) - kJobRequest.size()));
    } else {
      answer(client, "ok\n");
    }
    head.clear();
  }

  void ask(int client, std::string job) {
    wire::ClientFrameT frame;
    frame.id = ++last_id_;
    frame.request = job_query(job);
    clients_[frame.id] = client;
    send_all(daemon_, encode(frame));
  }

  void hear_daemon() {
    const std::string_view bytes = read_some(daemon_);
    if (bytes.empty()) end();
    const Status fed = reader_.feed(as_bytes(bytes), [this](Bytes frame) {
      const auto parsed = parse_server_frame(frame);
      if (!parsed) end();
      const auto found = clients_.find((*parsed)->id());
      if (found == clients_.end()) return;  // the Welcome
      const wire::Rows* rows = (*parsed)->reply_as_Rows();
      if (rows == nullptr || !rows->last()) end();
      answer(found->second, as_text(frame));
      clients_.erase(found);
    });
    if (!fed) end();
  }

  static void answer(int client, std::string_view body) {
    std::string whole = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: ";
    whole.append(std::to_string(body.size())).append(kHeadEnd).append(body);
    send_all(client, whole);
  }

  int listener_, daemon_;
  Descriptor events_;
  std::array<char, kDoorReadBytes> memory_{};
  std::map<int, std::string> heads_;
  std::map<std::uint64_t, int> clients_;  // by the id of the request
  std::uint64_t last_id_ = 0;
  FrameReader reader_;
};

}  // namespace

LeastDoor::LeastDoor(const std::string& socket) {
  const Descriptor listener = door_at_any_port(port_), daemon = door_to_daemon(socket);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) give_up("cannot start a process");
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  LeastServer(listener.get(), daemon.get()).serve();
}

LeastDoor::~LeastDoor() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace luzia::bench
