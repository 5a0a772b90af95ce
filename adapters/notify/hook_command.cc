#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "adapters/notify/delivery.h"
#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"
#include "engine/base/whole_number.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReportFd = 3;
constexpr std::size_t kReportBytes = 4096;
constexpr std::size_t kDetailBytes = 200;
/// luzia-run kills a command that does not end. If even then luzia-run does not report, it is killed itself.
constexpr auto kRunnerPatience = std::chrono::seconds(12);

struct Pipe {
  Descriptor read_end, write_end;
};

/// Our end is nonblocking.
bool make_pipe(Pipe& pipe, bool we_write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {Descriptor(ends[0]), Descriptor(ends[1])};
  ::fcntl(we_write ? ends[1] : ends[0], F_SETFL, O_NONBLOCK);
  return true;
}

/// One run of a command, from its start to its report.
class Run {
 public:
  Run(const HookCommand& hook, const std::string& input) : hook_(hook), input_(input) {}
  CommandRun to_the_end(const std::stop_token& stop);

 private:
  int spawn();
  void watch(const std::stop_token& stop);
  void end(int signal);
  void feed();
  static bool take(const Descriptor& from, std::string& into, std::size_t most);
  CommandRun outcome() const;

  const HookCommand& hook_;
  const std::string& input_;
  std::size_t fed_ = 0;
  Pipe in_, out_, report_;
  Descriptor wake_, process_;
  pid_t pid_ = -1;
  std::string output_, line_;
  bool stopped_ = false;
};

int Run::spawn() {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in_.read_end.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out_.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, report_.write_end.get(), kReportFd);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, kReportFd + 1);
  const SpawnAttributes attributes;
  std::vector<std::string> words = {hook_.runner, "--hook=" + std::to_string(hook_.timeout_ms),
                                    "--working-dir=/", "--open-files=" + std::to_string(hook_.open_files),
                                    "--report-fd=" + std::to_string(kReportFd)};
  if (hook_.drops_errors) words.emplace_back("--drop-errors");
  if (!hook_.user.empty()) words.push_back("--user=" + hook_.user);
  words.emplace_back("--");
  words.insert(words.end(), hook_.command.begin(), hook_.command.end());
  std::vector<std::string> variables = hook_.environment;
  const auto argv = exec_pointers(words);
  const auto envp = exec_pointers(variables);
  const int error =
      ::posix_spawn(&pid_, hook_.runner.c_str(), &files, attributes.get(), argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  in_.read_end.reset();
  out_.write_end.reset();
  report_.write_end.reset();
  return error;
}

void Run::feed() {
  const ssize_t size = ::write(in_.write_end.get(), input_.data() + fed_, input_.size() - fed_);
  if (size > 0) fed_ += static_cast<std::size_t>(size);
  const bool gone = size < 0 && errno != EAGAIN && errno != EINTR;  // it need not read its input
  if (gone || fed_ == input_.size()) in_.write_end.reset();
}

/// False at the end. Reads and drops bytes beyond `most`, so that no writer blocks.
bool Run::take(const Descriptor& from, std::string& into, std::size_t most) {
  char bytes[4096];
  for (;;) {
    const ssize_t size = ::read(from.get(), bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    into.append(bytes, std::min(static_cast<std::size_t>(size), most - std::min(most, into.size())));
    if (static_cast<std::size_t>(size) < sizeof bytes) return true;
  }
}

void Run::end(int signal) {
  if (process_) ::syscall(SYS_pidfd_send_signal, process_.get(), signal, nullptr, 0);
}

void Run::watch(const std::stop_token& stop) {
  auto deadline = Clock::now() + std::chrono::milliseconds(hook_.timeout_ms) + kRunnerPatience;
  while (report_.read_end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return end(SIGKILL);
    std::array<pollfd, 4> look = {
        pollfd{report_.read_end.get(), POLLIN, 0}, pollfd{out_.read_end.get(), POLLIN, 0},
        pollfd{in_.write_end.get(), POLLOUT, 0}, pollfd{stopped_ ? -1 : wake_.get(), POLLIN, 0}};
    if (::poll(look.data(), look.size(), static_cast<int>(std::min<long long>(left, 60'000)) + 1) <= 0)
      continue;
    if (look[0].revents != 0 && !take(report_.read_end, line_, kReportBytes)) report_.read_end.reset();
    if (look[1].revents != 0 && !take(out_.read_end, output_, hook_.most_output)) out_.read_end.reset();
    if (look[2].revents != 0) feed();
    if (!stopped_ && stop.stop_requested()) {
      stopped_ = true;
      deadline = Clock::now() + kRunnerPatience;
      end(SIGTERM);
    }
  }
}

CommandRun Run::outcome() const {
  CommandRun run;
  run.output = output_;
  std::string_view said = line_;
  if (said.ends_with('\n')) said.remove_suffix(1);
  if (stopped_) {
    run.end = "broken off: the daemon stops";
  } else if (said == "timeout") {
    run.end = "killed: not done within " + format_duration(static_cast<TimeUs>(hook_.timeout_ms) * 1000);
  } else if (said.starts_with("failed ")) {
    run.end = said.substr(7);
  } else if (said.empty()) {
    run.end = "its luzia-run was killed";
  } else if (said.starts_with("exit ")) {
    const int code = leading_number<int>(std::string_view(said).substr(5)).value_or(0);
    run.exit_code = code;
    if (code != 0) run.end = "exit code " + std::to_string(code);
  } else {
    run.end = said;
  }
  return run;
}

CommandRun Run::to_the_end(const std::stop_token& stop) {
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  CommandRun failed;
  if (!wake_ || !make_pipe(in_, true) || !make_pipe(out_, false) || !make_pipe(report_, false)) {
    failed.end = std::string("cannot make a pipe: ") + ::strerror(errno);
    return failed;
  }
  const auto began = Clock::now();
  if (const int error = spawn(); error != 0) {
    failed.end = "cannot run " + hook_.runner + ": " + ::strerror(error);
    return failed;
  }
  process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  {
    const std::stop_callback wake(stop, [this] { (void)!::eventfd_write(wake_.get(), 1); });
    watch(stop);
  }
  // If SIGCHLD is ignored, the kernel reaps it, and this only waits for its end.
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (out_.read_end) take(out_.read_end, output_, hook_.most_output);
  CommandRun run = outcome();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
  run.elapsed_ms = static_cast<std::uint64_t>(took.count());
  return run;
}

}  // namespace

CommandRun run_command(const HookCommand& hook, const std::string& input, const std::stop_token& stop) {
  return Run(hook, input).to_the_end(stop);
}

Delivery run_hook_command(const HookCommand& hook, const Notice& notice, const std::stop_token& stop) {
  HookCommand command = hook;
  command.environment.insert(command.environment.end(), notice.variables.begin(), notice.variables.end());
  const CommandRun run = run_command(command, notice.json + "\n", stop);
  Delivery delivery;
  delivery.output = make_harmless(run.output, {.keep_newlines = true});
  delivery.result = {run.exit_code == 0, false, run.end, run.elapsed_ms};
  if (run.exit_code.value_or(0) != 0 && !run.output.empty()) {
    delivery.result.detail += ": " + make_harmless(run.output.substr(0, kDetailBytes));
  }
  return delivery;
}

}  // namespace luzia
