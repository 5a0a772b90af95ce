#include "adapters/terminal/terminal_host.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include "adapters/terminal/terminal_socket.h"

namespace luzia {
namespace {

constexpr std::size_t kMostGuests = 32;
constexpr std::size_t kMostTyped = 64 << 10;
constexpr std::int64_t kHangUpAfterMs = 2'000;  // a shell at a prompt ignores SIGTERM
constexpr std::int64_t kFarewellMs = 1'000;
constexpr int kTryDiskEveryMs = 200;
constexpr int kLastDiskTries = 10;
/// More than a pseudo terminal can hold: anything after that is not the agent's output.
constexpr std::size_t kMostLeftOnTerminal = 1 << 20;

std::int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000 + now.tv_nsec / 1'000'000;
}

/// The keyboard's signals reach our group too; they are for the agent.
void leave_keyboard_to_agent() {
  for (const int number : {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP, SIGPIPE}) {
    ::signal(number, SIG_IGN);
  }
}

Descriptor watched_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

Result<std::unique_ptr<TerminalHost>> TerminalHost::open(const std::string& job_dir, TerminalSize size) {
  std::unique_ptr<TerminalHost> host(new TerminalHost(job_dir));
  LUZIA_TRY(host->prepare(size));
  return host;
}

Status TerminalHost::prepare(TerminalSize size) {
  size_ = size;
  runner_ = ::getppid();
  leave_keyboard_to_agent();
  signals_ = watched_signals();
  listener_ = LUZIA_TRY(listen_for_terminals(job_dir_));
  agent_ = LUZIA_TRY(HeldProgram::open(size));
  return {};
}

TerminalHost::~TerminalHost() {
  if (listener_) remove_terminal_socket(job_dir_);
}

Status TerminalHost::start(const std::vector<std::string>& argv, int& exit_code) {
  return agent_.start(argv, exit_code);
}

int TerminalHost::run() {
  while (!ended_) step();
  drain();
  say_farewell();
  return status_;
}

// ------------------------------------------------------------------------------------------- one round

int TerminalHost::patience_ms() const {
  std::int64_t patience = unrecorded_.empty() ? -1 : kTryDiskEveryMs;
  if (hang_up_at_ms_ > 0) {
    const std::int64_t left = std::max<std::int64_t>(0, hang_up_at_ms_ - monotonic_ms());
    patience = patience < 0 ? left : std::min(patience, left);
  }
  return static_cast<int>(patience);
}

void TerminalHost::step() {
  const auto wants = [](bool in, bool out) {
    return static_cast<short>((in ? POLLIN : 0) | (out ? POLLOUT : 0));
  };
  const bool reads = !output_over_ && unrecorded_.empty();
  const bool types = !typed_.empty() && !output_over_;
  std::vector<pollfd> looked = {{signals_.get(), POLLIN, 0},
                                {listener_.get(), wants(guests_.size() < kMostGuests, false), 0},
                                {reads || types ? agent_.master() : -1, wants(reads, types), 0}};
  for (const auto& guest : guests_) {
    looked.push_back({guest->fd(), wants(typed_.size() < kMostTyped, guest->has_output()), 0});
  }
  if (::poll(looked.data(), looked.size(), patience_ms()) < 0 && errno != EINTR) return;
  if (looked[0].revents != 0) take_signals();
  if (hang_up_at_ms_ > 0 && monotonic_ms() >= hang_up_at_ms_ && !ended_) {
    hang_up_at_ms_ = 0;
    agent_.hang_up();
  }
  if (!unrecorded_.empty()) write_record();
  if ((looked[2].revents & (POLLIN | POLLHUP)) != 0 && reads) read_agent();
  if ((looked[2].revents & POLLOUT) != 0) type();
  for (std::size_t i = 3; i < looked.size(); ++i) {
    TerminalGuest& guest = *guests_[i - 3];
    if ((looked[i].revents & POLLOUT) != 0) guest.flush(recent_);
    if ((looked[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) serve(guest);
  }
  if (looked[1].revents != 0) welcome();
  drop_guests();
}

void TerminalHost::take_signals() {
  signalfd_siginfo arrived{};
  while (::read(signals_.get(), &arrived, sizeof arrived) == sizeof arrived) {
    if (arrived.ssi_signo == SIGTERM) terminate(static_cast<int>(arrived.ssi_pid));
    if (arrived.ssi_signo == SIGCHLD) reap();
  }
}

/// luzia-run, which started us, signals every process of the attempt itself; an agent might take a second
/// signal for an urgent request.
void TerminalHost::terminate(int sender) {
  if (sender == ::getpid()) return;
  if (sender != runner_) agent_.signal_group(SIGTERM);
  if (hang_up_at_ms_ == 0) hang_up_at_ms_ = monotonic_ms() + kHangUpAfterMs;
}

void TerminalHost::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid != agent_.pid()) continue;
    ended_ = true;
    status_ = status;
  }
}

// ------------------------------------------------------------------------------------ output and input

/// Returns the number of bytes read; 0: none (any more).
std::size_t TerminalHost::read_agent() {
  char bytes[16 << 10];
  const ssize_t count = ::read(agent_.master(), bytes, sizeof bytes);
  if (count > 0) record({bytes, static_cast<std::size_t>(count)});
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) output_over_ = true;
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

void TerminalHost::record(std::string_view bytes) {
  unrecorded_ += bytes;
  write_record();
  recent_.add(bytes);
  const std::string frames = output_frames(bytes);
  for (const auto& guest : guests_) {
    guest->send(frames);
    guest->flush(recent_);
  }
}

void TerminalHost::write_record() {
  while (!unrecorded_.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, unrecorded_.data(), unrecorded_.size());
    if (count < 0 && errno == EINTR) continue;
    // Nobody reads the output: there is nothing to wait for.
    if (count < 0 && (errno == EPIPE || errno == EBADF)) return unrecorded_.clear();
    if (count < 0) return;
    unrecorded_.erase(0, static_cast<std::size_t>(count));
  }
}

void TerminalHost::type() {
  const ssize_t count = ::write(agent_.master(), typed_.data(), typed_.size());
  if (count > 0) typed_.erase(0, static_cast<std::size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) typed_.clear();
}

// ---------------------------------------------------------------------------------------------- guests

void TerminalHost::welcome() {
  Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket || !is_peer_of(socket.get(), ::geteuid())) return;
  auto guest = std::make_unique<TerminalGuest>(std::move(socket));
  guest->send(output_frames(recent_.replay()));
  guest->flush(recent_);
  guests_.push_back(std::move(guest));
}

void TerminalHost::serve(TerminalGuest& guest) {
  TerminalFrameReader& frames = guest.receive();
  while (auto frame = frames.next()) take(guest, *frame);
  if (frames.broken()) guest.drop();
}

void TerminalHost::take(TerminalGuest& guest, const TerminalFrame& frame) {
  switch (frame.kind) {
    case FrameKind::hello:
      if (frame.payload.size() == 1 && frame.payload[0] >= 0 && frame.payload[0] <= 2) {
        guest.set_role(static_cast<Role>(frame.payload[0]));
      }
      return;
    case FrameKind::input:
      if (guest.role() == Role::watcher || output_over_) return;
      typed_ += frame.payload;
      return type();
    case FrameKind::size:
      if (const auto size = size_from(frame.payload); size && guest.role() != Role::watcher) {
        resize(guest, *size);
      }
      return;
    case FrameKind::output:
    case FrameKind::ended:
      return;  // only the host sends these
  }
}

/// The newest size wins. A new client gets a full redraw, even at the same size.
void TerminalHost::resize(TerminalGuest& guest, TerminalSize size) {
  const bool is_new = !guest.sized();
  if (size != size_) {
    size_ = size;
    agent_.resize(size);
  } else if (is_new) {
    agent_.redraw();
  }
}

void TerminalHost::drop_guests() {
  const auto is_gone = [](const std::unique_ptr<TerminalGuest>& guest) { return guest->gone(); };
  const bool screen_gone = std::ranges::any_of(guests_, [&](const std::unique_ptr<TerminalGuest>& guest) {
    return guest->gone() && guest->role() == Role::screen;
  });
  std::erase_if(guests_, is_gone);
  if (screen_gone) take_signals();
  // The window was closed. Ignored if the attempt is being ended, because the agent already knows.
  if (screen_gone && !ended_ && hang_up_at_ms_ == 0) agent_.hang_up();
}

// ------------------------------------------------------------------------------------------------- end

/// Reads what is left: the kernel delivers everything written before the agent's end, then reports that
/// nothing is left.
void TerminalHost::drain() {
  std::size_t count = 1;
  for (std::size_t taken = 0; count > 0 && taken < kMostLeftOnTerminal && !output_over_; taken += count) {
    count = read_agent();
  }
  for (int tries = 0; tries < kLastDiskTries && !unrecorded_.empty(); ++tries) {
    ::poll(nullptr, 0, kTryDiskEveryMs);
    write_record();
  }
}

/// Clients that just connected also get everything; those that do not read are not waited for long.
void TerminalHost::say_farewell() {
  for (pollfd waiting{listener_.get(), POLLIN, 0};
       ::poll(&waiting, 1, 0) > 0 && guests_.size() < kMostGuests;) {
    welcome();
  }
  remove_terminal_socket(job_dir_);
  for (const auto& guest : guests_) guest->finish();
  const std::int64_t until = monotonic_ms() + kFarewellMs;
  const auto listens = [](const std::unique_ptr<TerminalGuest>& guest) {
    return !guest->gone() && guest->has_output();
  };
  while (std::ranges::any_of(guests_, listens) && monotonic_ms() < until) {
    std::vector<pollfd> looked;
    for (const auto& guest : guests_) looked.push_back({listens(guest) ? guest->fd() : -1, POLLOUT, 0});
    ::poll(looked.data(), looked.size(), static_cast<int>(std::max<std::int64_t>(0, until - monotonic_ms())));
    for (const auto& guest : guests_) guest->flush(recent_);
  }
  guests_.clear();
}

}  // namespace luzia
