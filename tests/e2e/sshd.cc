#include "tests/e2e/sshd.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace luzia {
namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// The port that the socket has; 0: it has none.
int bind_to(int fd, int port) {
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) return 0;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 ? ntohs(address.sin_port) : 0;
}

bool listens(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

}  // namespace

std::unique_ptr<BesideProgram> start_sshd(const std::string& folder, const SshdSettings& settings) {
  EXPECT_EQ(::access(kSshd, X_OK), 0) << "install openssh-server: tools/dev/install test";
  if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);  // as its service does
  std::string set;
  for (const std::string& entry : settings.environment) set += " \"" + entry + "\"";
  write_text(folder + "/sshd_config",
             "Port " + std::to_string(settings.port) + "\nListenAddress 127.0.0.1\nHostKey " +
                 settings.host_key + "\nAuthorizedKeysFile " + settings.authorized_keys +
                 "\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                 "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nMaxStartups 100\n"
                 "SetEnv" +
                 set + "\n");
  auto sshd = std::make_unique<BesideProgram>(Words{kSshd, "-D", "-e", "-f", folder + "/sshd_config"},
                                              Words{"PATH=/usr/sbin:/usr/bin:/bin"}, folder + "/sshd.log");
  EXPECT_TRUE(wait_until([&] { return listens(settings.port); })) << read_text(folder + "/sshd.log");
  return sshd;
}

void make_ssh_key(const std::string& file) {
  const Finished made = run_to_end({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file},
                                   {"PATH=/usr/bin:/bin"});
  ASSERT_EQ(made.code, 0) << made.err;
}

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int port = bind_to(fd, 0);
  ::close(fd);
  return port;
}

SilentServer::SilentServer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(bind_to(fd_, 0)) {
  EXPECT_EQ(::listen(fd_, 64), 0);
}

SilentServer::~SilentServer() {
  ::close(fd_);
}

}  // namespace luzia
