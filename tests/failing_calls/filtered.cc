// filtered SOCKET PROGRAM ARGUMENT...: executes the program under a filter: the system calls that the test
// behind the socket has chosen are decided by that test (failing_calls.h). If a file NAME.filtered lies
// beside the name it was called by, it reads socket and program from there, one per line.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace {

int connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const bool connected = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return connected ? fd : -1;
}

/// Installs the filter and returns the descriptor that answers the chosen calls.
int install_filter(const int* numbers, std::size_t count) {
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (std::size_t i = 0; i < count; ++i) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(numbers[i]), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

bool send_descriptor(int connection, int fd) {
  char byte = 0;
  iovec bytes{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return sendmsg(connection, &message, 0) == 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string socket, program;
  std::ifstream beside(std::string(argv[0]) + ".filtered");
  const bool is_named = std::getline(beside, socket) && std::getline(beside, program);
  if (!is_named && argc < 3) return 2;
  if (!is_named) socket = argv[1], program = argv[2];
  const int connection = connect_to(socket.c_str());
  int numbers[128];
  const ssize_t size = recv(connection, numbers, sizeof numbers, 0);
  if (connection < 0 || size <= 0) {
    perror("filtered: no test behind the socket");
    return 2;
  }
  // A filter applies to one thread and its children. Another thread, which is not filtered, passes the
  // descriptor on.
  std::promise<int> listener;
  std::thread hands_over([connection, made = listener.get_future()]() mutable {
    const int fd = made.get();
    if (fd < 0 || !send_descriptor(connection, fd)) _exit(2);
  });
  listener.set_value(install_filter(numbers, static_cast<std::size_t>(size) / sizeof(int)));
  hands_over.join();
  // execve closes both descriptors.
  execv(program.c_str(), is_named ? argv : argv + 2);
  return 127;
}
