#include "tests/e2e/terminal/terminal_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>

namespace luzia {
namespace {

constexpr std::chrono::seconds kPatience{120};

}  // namespace

TerminalProgram::TerminalProgram(const Words& words, const Words& environment, unsigned short columns,
                                 unsigned short rows) {
  const winsize size{rows, columns, 0, 0};
  const std::vector<char*> argv = pointers(words), envp = pointers(environment);
  if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) {
    ADD_FAILURE() << "no pseudo terminal";
    return;
  }
  pid_ = ::fork();
  if (pid_ == 0) {
    ::login_tty(slave_);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::fcntl(master_, F_SETFD, FD_CLOEXEC);
  ::fcntl(slave_, F_SETFD, FD_CLOEXEC);
}

TerminalProgram::~TerminalProgram() {
  if (!over_ && pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(master_);
  ::close(slave_);
}

void TerminalProgram::type(const std::string& keys) const {
  ASSERT_EQ(::write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

void TerminalProgram::resize(unsigned short columns, unsigned short rows) const {
  const winsize size{rows, columns, 0, 0};
  ASSERT_EQ(::ioctl(master_, TIOCSWINSZ, &size), 0);
}

bool TerminalProgram::read_some(int patience_ms) {
  pollfd wanted{master_, POLLIN, 0};
  if (::poll(&wanted, 1, patience_ms) <= 0) return false;
  char bytes[65536];
  const ssize_t count = ::read(master_, bytes, sizeof bytes);
  if (count > 0) output_.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

bool TerminalProgram::shows(const std::string& text, int times) {
  const auto count = [&] {
    int found = 0;
    for (std::size_t at = output_.find(text); at != std::string::npos; at = output_.find(text, at + 1))
      ++found;
    return found;
  };
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (count() < times && std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    if (!over_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      over_ = true;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (!read_some(over_ ? 0 : 50) && over_) break;
  }
  return count() >= times;
}

bool TerminalProgram::is_raw() const {
  termios modes{};
  return ::tcgetattr(slave_, &modes) == 0 && (modes.c_lflag & (ICANON | ECHO | ISIG)) == 0;
}

bool TerminalProgram::becomes_raw() const {
  return wait_until([this] { return is_raw(); });
}

int TerminalProgram::end() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!over_ && std::chrono::steady_clock::now() < deadline) {
    read_some(20);
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
    over_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  EXPECT_TRUE(over_) << "does not end; it has printed: " << output_;
  while (read_some(0)) {
  }
  return code_;
}

}  // namespace luzia
