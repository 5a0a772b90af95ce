// Which listeners a client accepts as the daemon.
#include "adapters/socket/listener.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "adapters/socket/client.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

constexpr uid_t kSomebody = 65'533;

class Listener : public ScratchTest {
 protected:
};

TEST_F(Listener, OwnUserAndRootAreAcceptedAnywhere) {
  EXPECT_TRUE(check_listener(scratch_ + "/socket", ::geteuid()));
  EXPECT_TRUE(check_listener(scratch_ + "/socket", 0));
}

TEST_F(Listener, OtherUserIsRefusedBelowAWritableFolder) {
  const auto checked = check_listener(scratch_ + "/socket", kSomebody);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, "socket_untrusted");
  EXPECT_EQ(checked.error().kind, ErrorKind::refused);
  ::chmod(scratch_.c_str(), 0777);
  EXPECT_THAT(check_listener(scratch_ + "/socket", kSomebody).error().message,
              testing::HasSubstr("anybody may write to " + scratch_));
  EXPECT_FALSE(check_listener(scratch_ + "/none/socket", kSomebody));
}

TEST_F(Listener, OtherUserIsRefusedInAForeignFolder) {
  EXPECT_THAT(check_listener("/usr/bin/socket", kSomebody).error().message,
              testing::HasSubstr("/usr/bin belongs to user 0"));
}

/// Binds the socket and listens as another account until killed. Sends a byte when ready.
[[noreturn]] void listen_as_somebody(const std::string& path, int ready) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::setuid(kSomebody) == 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(fd, 1) == 0 && ::write(ready, "!", 1) == 1) {
    while (true) ::pause();
  }
  ::_exit(1);
}

TEST_F(Listener, ClientRefusesAForeignListenerInASharedFolder) {
  const bool root = ::geteuid() == 0;
  ::chmod(scratch_.c_str(), 01777);
  const std::string path = scratch_ + "/socket";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) listen_as_somebody(path, ready[1]);
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), root ? 1 : 0) << "only root can listen as somebody else";
  ::close(ready[0]);
  const Result<Client> client = Client::connect(path);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(client);
  if (root) {
    EXPECT_EQ(client.error().code, "socket_untrusted") << client.error().message;
  }
}

}  // namespace
}  // namespace luzia
