#include "adapters/terminal/held_program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>

#include <cerrno>

namespace luzia {
namespace {

constexpr int kNotRunnable = 126, kNotFound = 127;

tl::unexpected<Error> no_terminal(const char* step) {
  return fail_errno(errno, "terminal_failed", std::string("opening a pseudo terminal: ") + step);
}

void set_size(int fd, TerminalSize size) {
  const winsize kernel{size.rows, size.columns, 0, 0};
  ::ioctl(fd, TIOCSWINSZ, &kernel);
}

/// Like people's terminals: UTF-8, so that erasing a character erases all of its bytes.
void speak_utf8(int fd) {
  termios modes{};
  if (::tcgetattr(fd, &modes) != 0) return;
  modes.c_iflag |= static_cast<tcflag_t>(IUTF8);
  ::tcsetattr(fd, TCSANOW, &modes);
}

/// The program would inherit the signals that we ignore or block.
void set_default_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(char* const* words, int terminal, int failure) {
  set_default_signals();
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, fd);
  ::execvp(words[0], words);
  const int reason = errno;
  // A pipe that closes without data means success, so nothing can be done if this write fails.
  [[maybe_unused]] const ssize_t told = ::write(failure, &reason, sizeof reason);
  ::_exit(kNotFound);
}

pid_t group_in_front(int master) {
  pid_t group = -1;
  return ::ioctl(master, TIOCGPGRP, &group) == 0 && group > 1 ? group : -1;
}

}  // namespace

Result<HeldProgram> HeldProgram::open(TerminalSize size) {
  HeldProgram held;
  held.master_ = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!held.master_) return no_terminal("the system has none left");
  if (::grantpt(held.master()) != 0 || ::unlockpt(held.master()) != 0) return no_terminal("unlocking it");
  held.slave_ = Descriptor(::ioctl(held.master(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!held.slave_) return no_terminal("opening its other end");
  if (::getsid(0) != ::getpid()) ::setsid();
  if (::ioctl(held.slave_.get(), TIOCSCTTY, 0) != 0) return no_terminal("making it that of the session");
  speak_utf8(held.slave_.get());
  set_size(held.master(), size);
  return held;
}

Status HeldProgram::start(const std::vector<std::string>& argv, int& exit_code) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return no_terminal("a pipe");
  Descriptor from(ends[0]), to(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) become(words.data(), slave_.get(), to.get());
  if (pid_ < 0) return no_terminal("a process");
  slave_.reset();
  to.reset();
  int reason = 0;
  if (::read(from.get(), &reason, sizeof reason) != sizeof reason) return {};
  ::waitpid(pid_, nullptr, 0);
  exit_code = reason == ENOENT ? kNotFound : kNotRunnable;
  return fail_errno(reason, "cannot_run", "cannot run '" + argv.front() + "'");
}

void HeldProgram::resize(TerminalSize size) const {
  set_size(master(), size);
}

void HeldProgram::redraw() const {
  if (const pid_t group = group_in_front(master()); group > 0) ::kill(-group, SIGWINCH);
}

void HeldProgram::signal_group(int number) const {
  const pid_t group = ::getpgid(pid_);
  if (group > 1 && group != ::getpgrp()) ::kill(-group, number);
  if (group == ::getpgrp()) ::kill(0, number);
}

void HeldProgram::hang_up() const {
  const pid_t group = group_in_front(master());
  if (group > 0 && group != ::getpgid(pid_)) {
    ::kill(-group, SIGHUP);
    ::kill(-group, SIGCONT);
  }
  signal_group(SIGHUP);
  signal_group(SIGCONT);
}

}  // namespace luzia
