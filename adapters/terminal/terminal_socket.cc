#include "adapters/terminal/terminal_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>

namespace luzia {
namespace {

Descriptor open_directory(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

sockaddr_un address_in(const Descriptor& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory.get(),
                kTerminalSocket);
  return address;
}

tl::unexpected<Error> not_reached(int reason, const std::string& job_dir) {
  const std::string what = "attaching to the terminal in " + job_dir;
  switch (reason) {
    case ENOENT:
      return fail(ErrorKind::refused, "no_terminal", what + ": there is none");
    case ECONNREFUSED:
      return fail(ErrorKind::refused, "terminal_gone", what + ": the program that held it is gone");
    case EACCES:
    case EPERM:
      return fail(ErrorKind::refused, "terminal_refused", what + ": only the job's user and root may");
    default:
      return fail_errno(reason, "terminal_failed", what);
  }
}

}  // namespace

Result<Descriptor> listen_for_terminals(const std::string& job_dir) {
  constexpr int kWaiting = 16;
  const std::string what = "listening on " + job_dir + "/" + kTerminalSocket;
  const Descriptor directory = open_directory(job_dir);
  if (!directory) return fail_errno(errno, "terminal_failed", what);
  ::unlinkat(directory.get(), kTerminalSocket, 0);
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_in(directory);
  const mode_t before = ::umask(0177);
  const int bound =
      listener ? ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) : -1;
  const int reason = errno;
  ::umask(before);
  if (bound != 0) return fail_errno(reason, "terminal_failed", what);
  if (::listen(listener.get(), kWaiting) != 0) return fail_errno(errno, "terminal_failed", what);
  return listener;
}

void remove_terminal_socket(const std::string& job_dir) {
  const Descriptor directory = open_directory(job_dir);
  if (directory) ::unlinkat(directory.get(), kTerminalSocket, 0);
}

Result<Descriptor> connect_to_terminal(const std::string& job_dir) {
  const Descriptor directory = open_directory(job_dir);
  if (!directory) return not_reached(errno, job_dir);
  struct stat owner {};
  if (::fstat(directory.get(), &owner) != 0) return not_reached(errno, job_dir);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(directory);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return not_reached(errno, job_dir);
  }
  // Keys typed there must not reach a process that merely put a socket into the directory.
  if (!is_peer_of(socket.get(), owner.st_uid)) {
    return fail(ErrorKind::refused, "terminal_refused",
                "attaching to the terminal in " + job_dir + ": another user listens there");
  }
  return socket;
}

bool is_peer_of(int socket, unsigned uid) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == uid || peer.uid == 0 || peer.uid == ::geteuid();
}

}  // namespace luzia
