#include "tools/luzia/look/top/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J", kLeave = "\x1b[?25h\x1b[?1049l";

sigset_t our_set() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT}) {
    ::sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

Screen::Screen() {
  const sigset_t set = our_set();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  ::tcgetattr(STDIN_FILENO, &before_);
  enter();
}

Screen::~Screen() {
  leave();
  ::close(signals_);
  const sigset_t set = our_set();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Screen::enter() {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_fully(STDOUT_FILENO, kEnter);
  entered_ = true;
  forget();
}

void Screen::leave() {
  if (!entered_) return;
  entered_ = false;
  write_fully(STDOUT_FILENO, kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void Screen::measure(Terminal& terminal) const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
  constexpr std::size_t kLeast = 2;
  if (size.ws_col != 0) terminal.width = std::max<std::size_t>(kLeast, size.ws_col);
  if (size.ws_row != 0) terminal.height = std::max<std::size_t>(kLeast, size.ws_row);
}

void Screen::forget() {
  shown_.clear();
}

bool Screen::draw(const std::vector<std::string>& lines) {
  std::string bytes;
  if (shown_.size() != lines.size()) {
    bytes += "\x1b[2J";
    shown_.assign(lines.size(), {});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (shown_[i] == lines[i]) continue;
    bytes += "\x1b[" + std::to_string(i + 1) + ";1H" + lines[i] + "\x1b[K";
    shown_[i] = lines[i];
  }
  return write_fully(STDOUT_FILENO, bytes);
}

Screen::Woken Screen::wait(int fd, std::chrono::milliseconds timeout) {
  pollfd waiting[] = {{signals_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};
  ::poll(waiting, 3, timeout.count() < 0 ? -1 : static_cast<int>(timeout.count()));
  Woken woken{.keys = waiting[1].revents != 0, .daemon = fd >= 0 && waiting[2].revents != 0};
  signalfd_siginfo arrived{};
  while (::read(signals_, &arrived, sizeof arrived) == sizeof arrived) {
    const int signal = static_cast<int>(arrived.ssi_signo);
    if (signal == SIGWINCH || signal == SIGCONT) {
      woken.resized = true;
    } else if (signal == SIGTSTP) {
      suspend();
      woken.resized = true;
    } else {
      woken.signal = signal;
    }
  }
  return woken;
}

std::string Screen::keys() const {
  char bytes[512];
  const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
  return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : std::string();
}

void Screen::suspend() {
  leave();
  ::raise(SIGSTOP);
  enter();
}

}  // namespace luzia
