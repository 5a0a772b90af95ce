#include "tools/luziad/hooks/kept_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "engine/base/spawning.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::seconds;

constexpr Seconds kFirstPause(1), kLongestPause(60);
constexpr std::size_t kLineBytes = 2'000;
/// How long a program that was asked to end may take.
constexpr int kPatienceMs = 5'000;

/// One run of the program.
class Life {
 public:
  explicit Life(const KeptProgram& plan) : plan_(plan) {}
  ~Life() {
    for (const int fd : {input_, output_, process_}) {
      if (fd >= 0) ::close(fd);
    }
  }
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  /// False: it could not be started.
  bool start();
  /// Reads its lines until it ends or `wake` becomes readable.
  void listen(int wake);
  void end();

 private:
  int spawn(int input, int output);
  void take(std::string_view bytes);

  const KeptProgram& plan_;
  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, process_ = -1;
  std::string line_;
};

int Life::spawn(int input, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const SpawnAttributes attributes;
  std::vector<std::string> words = plan_.command;
  std::vector<std::string> variables = plan_.environment;
  const auto argv = exec_pointers(words), envp = exec_pointers(variables);
  const int error =
      ::posix_spawn(&pid_, words.front().c_str(), &files, attributes.get(), argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  return error;
}

bool Life::start() {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  int error = 0;
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) error = errno;
  input_ = in[1];
  output_ = out[0];
  if (error == 0) error = spawn(in[0], out[1]);
  for (const int fd : {in[0], out[1]}) {
    if (fd >= 0) ::close(fd);
  }
  if (error != 0) {
    spdlog::error("{}: starting {}: {}", plan_.name, plan_.command.front(), ::strerror(error));
    return false;
  }
  process_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  const std::string& input = plan_.input;
  return ::write(input_, input.data(), input.size()) == static_cast<ssize_t>(input.size());
}

void Life::take(std::string_view bytes) {
  for (const char c : bytes) {
    if (c != '\n' && line_.size() < kLineBytes) line_ += c;
    if (c != '\n') continue;
    spdlog::info("{}: {}", plan_.name, make_harmless(line_));
    line_.clear();
  }
}

void Life::listen(int wake) {
  for (;;) {
    pollfd look[2] = {{output_, POLLIN, 0}, {wake, POLLIN, 0}};
    if (::poll(look, 2, -1) < 0) continue;
    if (look[1].revents != 0) return;
    char bytes[4096];
    const ssize_t size = ::read(output_, bytes, sizeof bytes);
    if (size <= 0) return;
    take({bytes, static_cast<std::size_t>(size)});
  }
}

void Life::end() {
  if (pid_ < 0) return;
  if (input_ >= 0) ::close(std::exchange(input_, -1));
  if (process_ >= 0 && plan_.stop_signal != 0)
    ::syscall(SYS_pidfd_send_signal, process_, plan_.stop_signal, nullptr, 0);
  pollfd look{process_, POLLIN, 0};
  if (process_ >= 0 && ::poll(&look, 1, kPatienceMs) == 0) {
    ::syscall(SYS_pidfd_send_signal, process_, SIGKILL, nullptr, 0);
  }
  // If SIGCHLD is ignored, the kernel reaps it, and this only waits for its end.
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// Runs until `stop` is requested.
void keep(const KeptProgram& plan, const std::stop_token& stop) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return spdlog::error("{}: no pipe: {}", plan.name, ::strerror(errno));
  {
    const std::stop_callback wake(stop, [&ends] { (void)!::write(ends[1], "", 1); });
    for (Seconds pause = kFirstPause; !stop.stop_requested();) {
      const auto began = Clock::now();
      Life life(plan);
      if (life.start()) life.listen(ends[0]);
      life.end();
      if (stop.stop_requested()) break;
      if (Clock::now() - began > kLongestPause) pause = kFirstPause;
      spdlog::warn("{}: {} has ended; again in {} s", plan.name, plan.command.front(), pause.count());
      pollfd look{ends[0], POLLIN, 0};
      ::poll(&look, 1, static_cast<int>(pause.count()) * 1'000);
      pause = std::min(kLongestPause, pause * 2);
    }
  }
  for (const int fd : ends) ::close(fd);
}

}  // namespace

void ProgramKeeper::configure(std::optional<KeptProgram> plan) {
  if (plan == plan_) return;
  plan_ = std::move(plan);
  if (ending_) return;
  if (!keeper_.joinable()) return begin();
  ending_ = true;
  keeper_.request_stop();
  auto before = std::make_shared<std::jthread>(std::move(keeper_));
  workers_.run([before] { before->join(); },
               [this] {
                 ending_ = false;
                 begin();
               });
}

void ProgramKeeper::begin() {
  if (!plan_) return;
  // A new thread inherits its creator's signal mask; signals are for the loop.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  keeper_ = std::jthread([plan = *plan_](const std::stop_token& stop) { keep(plan, stop); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ProgramKeeper::close() {
  plan_.reset();
  if (!keeper_.joinable()) return;
  keeper_.request_stop();
  keeper_.join();
}

}  // namespace luzia
