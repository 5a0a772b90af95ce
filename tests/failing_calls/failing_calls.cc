#include "tests/failing_calls/failing_calls.h"

#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace luzia {
namespace {

void must(bool done, const char* what) {
  if (done) return;
  std::perror(what);
  std::abort();
}

std::size_t read_memory(pid_t of, std::uint64_t from, void* into, std::size_t size) {
  const iovec here{into, size};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in another process
  const iovec there{reinterpret_cast<void*>(from), size};
  const ssize_t got = ::process_vm_readv(of, &here, 1, &there, 1, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

int received_descriptor(int connection) {
  char byte = 0;
  iovec bytes{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(connection, &message, MSG_CMSG_CLOEXEC) <= 0) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  int fd = -1;
  if (header != nullptr) std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

}  // namespace

std::string AskedCall::text(std::size_t argument) const {
  std::string text;
  char bytes[256];
  // Never across a page boundary, because the next page may not be mapped.
  for (std::uint64_t at = arguments[argument];;) {
    const std::size_t page_rest = 4096 - at % 4096;
    const std::size_t got = read_memory(thread, at, bytes, std::min(sizeof bytes, page_rest));
    const char* end = static_cast<const char*>(std::memchr(bytes, '\0', got));
    text.append(bytes, end != nullptr ? static_cast<std::size_t>(end - bytes) : got);
    if (end != nullptr || got == 0) return text;
    at += got;
  }
}

std::uint64_t AskedCall::word(std::size_t argument) const {
  std::uint64_t value = 0;
  read_memory(thread, arguments[argument], &value, sizeof value);
  return value;
}

std::string AskedCall::program() const {
  char path[4096];
  const ssize_t size = ::readlink(("/proc/" + std::to_string(thread) + "/exe").c_str(), path, sizeof path);
  const std::string whole(path, size > 0 ? static_cast<std::size_t>(size) : 0);
  return whole.substr(whole.rfind('/') + 1);
}

FailingCalls::FailingCalls(std::string socket, std::vector<int> numbers, Decide decide)
    : socket_(std::move(socket)), numbers_(std::move(numbers)), decide_(std::move(decide)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  must(socket_.size() < sizeof address.sun_path, "the socket's path");
  socket_.copy(address.sun_path, socket_.size());
  listening_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  must(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "bind");
  must(::listen(listening_, 64) == 0, "listen");
  stopping_ = ::eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { serve(); });
}

FailingCalls::~FailingCalls() {
  ::eventfd_write(stopping_, 1);
  thread_.join();
  ::close(listening_);
  ::close(stopping_);
  ::unlink(socket_.c_str());
}

std::vector<std::string> FailingCalls::filtered(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {LUZIA_FILTERED_PROGRAM, socket_};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

void FailingCalls::place(const std::string& path, const std::string& program) const {
  must(::symlink(LUZIA_FILTERED_PROGRAM, path.c_str()) == 0, path.c_str());
  std::ofstream(path + ".filtered") << socket_ << '\n' << program << '\n';
}

void FailingCalls::serve() {
  std::vector<pollfd> watched = {{listening_, POLLIN, 0}, {stopping_, POLLIN, 0}};
  for (;;) {
    constexpr int kAskAgainMs = 10;
    ::poll(watched.data(), watched.size(), held_.empty() ? -1 : kAskAgainMs);
    if (watched[1].revents != 0) break;
    std::erase_if(held_, [this](const Held& held) { return answer(held.listener, held.id, held.call); });
    for (std::size_t i = 2; i < watched.size(); ++i) {
      if ((watched[i].revents & POLLIN) != 0) take_call(watched[i].fd);
      if ((watched[i].revents & (POLLHUP | POLLERR)) == 0) continue;
      std::erase_if(held_, [&](const Held& held) { return held.listener == watched[i].fd; });
      ::close(watched[i].fd);  // every program that uses it has exited
      watched[i].fd = -1;
    }
    std::erase_if(watched, [](const pollfd& each) { return each.fd < 0; });
    if (watched[0].revents == 0) continue;
    if (const int listener = take_listener(); listener >= 0) watched.push_back({listener, POLLIN, 0});
  }
  for (std::size_t i = 2; i < watched.size(); ++i) ::close(watched[i].fd);
}

int FailingCalls::take_listener() const {
  const int connection = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return -1;
  const std::size_t size = numbers_.size() * sizeof(int);
  const bool told = ::send(connection, numbers_.data(), size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  const int listener = told ? received_descriptor(connection) : -1;
  ::close(connection);
  return listener;
}

void FailingCalls::take_call(int listener) {
  seccomp_notif asked{};
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;  // the caller was killed meanwhile
  AskedCall call{static_cast<pid_t>(asked.pid), asked.data.nr, {}};
  std::copy(std::begin(asked.data.args), std::end(asked.data.args), call.arguments.begin());
  if (!answer(listener, asked.id, call)) held_.push_back({listener, asked.id, call});
}

/// Returns false if the call is held.
bool FailingCalls::answer(int listener, std::uint64_t id, const AskedCall& call) const {
  const int decision = decide_(call);
  if (decision == kHold) return false;
  seccomp_notif_resp response{};
  response.id = id;
  if (decision == kKill) ::kill(call.thread, SIGKILL);
  if (decision > 0) {
    response.error = -decision;
  } else {
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  }
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
  return true;
}

}  // namespace luzia
