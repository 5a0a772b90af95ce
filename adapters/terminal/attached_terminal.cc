#include "adapters/terminal/attached_terminal.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <cerrno>

#include "adapters/terminal/detach_keys.h"
#include "adapters/terminal/raw_mode.h"
#include "adapters/terminal/screen_modes.h"
#include "adapters/terminal/terminal_socket.h"

namespace luzia {
namespace {

constexpr std::size_t kMostUnsent = 1 << 20;
constexpr char kInterrupt = '\x03';

sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) ::sigaddset(&set, number);
  return set;
}

/// Makes signals readable from a descriptor, for this object's lifetime.
class HeldSignals {
 public:
  HeldSignals() : set_(our_signals()) {
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    fd_ = Descriptor(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  int fd() const { return fd_.get(); }
  /// Returns a signal; 0: none.
  int take() const {
    signalfd_siginfo arrived{};
    return ::read(fd(), &arrived, sizeof arrived) == sizeof arrived ? static_cast<int>(arrived.ssi_signo) : 0;
  }

 private:
  sigset_t set_, before_{};
  Descriptor fd_;
};

class AttachedTerminal {
 public:
  AttachedTerminal(Descriptor host, Role role) : host_(std::move(host)), role_(role) {}
  ~AttachedTerminal() {
    // Before the line modes are restored: output still queued needs the current ones.
    if (role_ != Role::screen) write_fully(STDOUT_FILENO, modes_.leaving());
  }

  Attachment stay() {
    send(FrameKind::hello, std::string(1, static_cast<char>(role_)));
    tell_size();
    while (!over_) step();
    return result_;
  }

 private:
  void leave(Attachment::Left how) {
    if (!over_) result_.left = how;
    over_ = true;
  }

  void step() {
    pollfd looked[] = {{signals_.fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}, {host_.get(), POLLIN, 0}};
    if (!unsent_.empty()) looked[2].events |= POLLOUT;
    if (::poll(looked, 3, -1) < 0) return;
    if (looked[0].revents != 0) take_signal();
    if (looked[1].revents != 0) take_keys();
    if ((looked[2].revents & POLLOUT) != 0) flush();
    if ((looked[2].revents & ~POLLOUT) != 0) take_frames();
  }

  void take_signal() {
    const int number = signals_.take();
    if (number == SIGWINCH) return tell_size();
    if (number == 0) return;
    result_.signal = number;
    leave(Attachment::Left::interrupted);
  }

  void tell_size() {
    const auto size = size_of_terminal(STDIN_FILENO);
    if (size) send(FrameKind::size, size_payload(*size));
  }

  void take_keys() {
    char bytes[4096];
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return leave(Attachment::Left::detached);
    const std::string_view typed(bytes, static_cast<std::size_t>(count));
    if (role_ == Role::screen) return send(FrameKind::input, typed);  // the multiplexer has its own keys
    const std::string passed = keys_.pass(typed);
    const bool enough = role_ == Role::watcher && passed.find(kInterrupt) != std::string::npos;
    if (role_ == Role::person && !passed.empty()) send(FrameKind::input, passed);
    if (keys_.detached() || enough) leave(Attachment::Left::detached);
  }

  void take_frames() {
    char bytes[64 << 10];
    const ssize_t count = ::recv(host_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) reader_.add({bytes, static_cast<std::size_t>(count)});
    while (auto frame = reader_.next()) {
      if (frame->kind == FrameKind::output) show(frame->payload);
      if (frame->kind == FrameKind::ended) leave(Attachment::Left::ended);
    }
    if (count <= 0 || reader_.broken()) leave(Attachment::Left::lost);
  }

  void show(const std::string& bytes) {
    modes_.add(bytes);
    result_.shown += bytes.size();
    if (!write_fully(STDOUT_FILENO, bytes)) leave(Attachment::Left::detached);
  }

  void send(FrameKind kind, std::string_view payload) {
    // An agent that does not read its input must not keep a person from detaching.
    if (unsent_.size() < kMostUnsent) unsent_ += frame_of(kind, payload);
    flush();
  }

  /// If the host is gone, reading shows it.
  void flush() {
    while (!unsent_.empty()) {
      const ssize_t count = ::send(host_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return unsent_.clear();
      unsent_.erase(0, static_cast<std::size_t>(count));
    }
  }

  Descriptor host_;
  Role role_;
  HeldSignals signals_;
  RawMode raw_{STDIN_FILENO};
  TerminalFrameReader reader_;
  std::string unsent_;
  ScreenModes modes_;
  DetachKeys keys_;
  Attachment result_;
  bool over_ = false;
};

}  // namespace

Result<Attachment> attach_terminal(const std::string& job_dir, Role role) {
  auto host = LUZIA_TRY(connect_to_terminal(job_dir));
  return AttachedTerminal(std::move(host), role).stay();
}

}  // namespace luzia
