#include "tools/luzia-run/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/launcher/run_record.h"
#include "tools/luzia-run/kernel_calls.h"
#include "tools/luzia-run/privileges.h"
#include "tools/luzia-run/start.h"
#include "tools/luzia-run/talk.h"

namespace luzia::run {
namespace {

using namespace run_record;

static_assert(kReady == kProxyReady);

// A message of one byte that carries a descriptor.
struct Parcel {
  Parcel() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
  }

  char byte = kReady;
  iovec part{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
};

bool send_descriptor(int talk, int fd) {
  Parcel parcel;
  cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fd);
  ::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  return ::sendmsg(talk, &parcel.message, MSG_NOSIGNAL) == 1;
}

// -1: luzia-run has ended.
int receive_descriptor(int talk) {
  Parcel parcel;
  ssize_t size = 0;
  do {
    size = ::recvmsg(talk, &parcel.message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  const cmsghdr* head = size == 1 ? CMSG_FIRSTHDR(&parcel.message) : nullptr;
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return -1;
  int fd = -1;
  ::memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return fd;
}

// In the order of their numbers. From above all of them, so that none is overwritten before it is moved.
bool place_descriptors(int listener, int talk, int record) {
  constexpr int kAbove = 16;
  const int from[] = {::fcntl(listener, F_DUPFD, kAbove), ::fcntl(talk, F_DUPFD, kAbove),
                      ::fcntl(record, F_DUPFD, kAbove)};
  const int to[] = {kProxyListener, kProxyTalk, kProxyRecord};
  for (int i = 0; i < 3; ++i) {
    if (from[i] < 0 || ::dup2(from[i], to[i]) < 0) return false;
  }
  return kernel::close_range(kProxyRecord + 1, ~0U, 0) == 0;
}

// The job's user, with no capability and none to be had, also if that user is root; ends with luzia-run. The
// signal comes after the change of user, which resets it; `parent`: if luzia-run has ended before that, it is
// no parent any more.
bool become_proxy(const Options& options, pid_t parent) {
  const bool bound = ::geteuid() != 0 || drop_bounding_set();
  return bound && become_user(options) && drop_capabilities() &&
         ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
         ::getppid() == parent;
}

[[noreturn]] void be_proxy(const Options& options, pid_t parent, int talk, int record) {
  ::setsid();
  const int listener = receive_descriptor(talk);
  if (listener < 0) ::_exit(1);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // A thread or two resolve names.
  char threads[] = "UV_THREADPOOL_SIZE=2";
  char* environment[] = {threads, nullptr};
  if (become_proxy(options, parent) && place_descriptors(listener, talk, record)) {
    talk = kProxyTalk;
    ::execve(options.hosts.words[0], options.hosts.words, environment);
  }
  Text<512> problem;
  problem.add("sandbox_unavailable: cannot run its proxy '%s': %s; install luzia completely",
              options.hosts.words[0], ::strerror(errno));
  if (::send(talk, problem.c_str(), problem.size(), MSG_NOSIGNAL) < 0) errno = 0;
  ::_exit(1);
}

int listen_inside() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kProxyPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  constexpr int kWaiting = 64;
  if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(fd, kWaiting) == 0)
    return fd;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

bool Proxy::start(const Options& options, int record, TextView& problem) {
  if (options.hosts.count == 0) return true;
  int ends[2] = {-1, -1};
  const bool paired = record >= 0 && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  const pid_t parent = ::getpid();
  if (paired) pid_ = ::fork();
  if (pid_ == 0) {
    ::close(ends[0]);
    be_proxy(options, parent, ends[1], record);
  }
  const int error = errno;
  if (paired) ::close(ends[1]);
  talk_ = ends[0];
  if (pid_ > 0) return true;
  problem.add("sandbox_unavailable: cannot start its proxy: %s", ::strerror(error));
  return false;
}

bool Proxy::serve(TextView& problem) {
  if (pid_ < 0) return true;
  const int listener = listen_inside();
  const bool sent = listener >= 0 && send_descriptor(talk_, listener);
  if (!sent) problem.add("sandbox_unavailable: its proxy cannot listen: %s", ::strerror(errno));
  if (listener >= 0) ::close(listener);
  return sent && hear_ready(talk_, "sandbox_unavailable: its proxy has ended", problem);
}

void Proxy::end() {
  if (pid_ < 0) return;
  constexpr int kPatienceMs = 1'000;
  ::shutdown(talk_, SHUT_WR);
  pollfd gone{talk_, POLLIN, 0};
  ::poll(&gone, 1, kPatienceMs);
  ::close(talk_);
  // One that has ended before was reaped with the agent's processes.
  if (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
}

}  // namespace luzia::run
