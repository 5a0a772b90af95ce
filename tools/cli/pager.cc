#include "tools/cli/pager.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/base/spawning.h"
#include "tools/cli/invocation.h"

namespace luzia {
namespace {

/// The words of $PAGER, split at blanks; empty: no pager is wanted (empty, or "cat").
std::vector<std::string> pager_words() {
  const char* set = std::getenv("PAGER");
  std::vector<std::string> words = split_list(set == nullptr ? "less" : set, ' ');
  if (words.size() == 1 && words.front() == "cat") words.clear();
  return words;
}

}  // namespace

Pager::Pager(bool wanted) {
  std::vector<std::string> words = wanted ? pager_words() : std::vector<std::string>();
  int ends[2];
  // A socket instead of a pipe: MSG_NOSIGNAL prevents SIGPIPE when the pager has exited.
  if (words.empty() || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  ::setenv("LESS", "FRX", 0);  // F: exit if all fits on the screen; R: show colors; X: keep the text on exit
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  const auto argv = exec_pointers(words);
  const bool started = ::posix_spawnp(&pid_, argv.front(), &files, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  if (!started) {
    pid_ = -1;
    ::close(ends[0]);
    return;
  }
  fd_ = ends[0];
  // The pager handles Ctrl-C.
  ::signal(SIGINT, SIG_IGN);
}

Pager::~Pager() {
  if (pid_ <= 0) return;
  ::close(fd_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::signal(SIGINT, SIG_DFL);
}

bool Pager::write(std::string_view text) {
  if (fd_ < 0) {
    print(text);
    return true;
  }
  while (!text.empty()) {
    const ssize_t size = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EINTR) return false;
    text.remove_prefix(size < 0 ? 0 : static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace luzia
