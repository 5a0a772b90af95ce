#include "tests/e2e/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{120};

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// `third` >= 0: the program gets it as descriptor 3.
[[noreturn]] void become(char* const* words, char* const* environment, int in, int out, int err,
                         int third = -1) {
  constexpr int kThird = STDERR_FILENO + 1;
  const int kept = third < 0 ? -1 : ::fcntl(third, F_DUPFD, kThird + 1);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (kept >= 0) ::dup2(kept, kThird);
  ::close_range(kept >= 0 ? kThird + 1 : kThird, ~0U, 0);
  ::signal(SIGPIPE, SIG_DFL);
  ::execve(words[0], words, environment);
  ::_exit(127);
}

struct Pipe {
  int from = -1, to = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
      from = ends[0];
      to = ends[1];
    }
  }
  ~Pipe() {
    shut(from);
    shut(to);
  }
  static void shut(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

/// Returns false at the end of the stream.
bool drain(int fd, std::string& into) {
  char bytes[65536];
  const ssize_t got = ::read(fd, bytes, sizeof bytes);
  if (got > 0) into.append(bytes, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EAGAIN);
}

/// Moves bytes between us and the child until it has closed both of its streams. Returns false on timeout.
bool converse(Pipe& in, Pipe& out, Pipe& err, const std::string& input, Finished& finished) {
  std::size_t written = 0;
  const auto deadline = Clock::now() + kPatience;
  while (out.from >= 0 || err.from >= 0) {
    if (in.to >= 0 && written == input.size()) Pipe::shut(in.to);
    pollfd wanted[] = {{out.from, POLLIN, 0}, {err.from, POLLIN, 0}, {in.to, POLLOUT, 0}};
    ::poll(wanted, 3, 100);
    if (Clock::now() >= deadline) return false;
    if (wanted[0].revents != 0 && !drain(out.from, finished.out)) Pipe::shut(out.from);
    if (wanted[1].revents != 0 && !drain(err.from, finished.err)) Pipe::shut(err.from);
    if (wanted[2].revents == 0) continue;
    const ssize_t count = ::write(in.to, input.data() + written, input.size() - written);
    if (count > 0) written += static_cast<std::size_t>(count);
    if (count < 0 && errno != EAGAIN) Pipe::shut(in.to);
  }
  return true;
}

}  // namespace

std::vector<char*> pointers(const Words& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

Finished run_to_end(const Words& words, const Words& environment, const std::string& input) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe in, out, err;
  const std::vector<char*> argv = pointers(words), envp = pointers(environment);
  for (const int fd : {in.from, out.to, err.to}) ::fcntl(fd, F_SETFL, 0);
  const pid_t pid = ::fork();
  if (pid == 0) become(argv.data(), envp.data(), in.from, out.to, err.to);
  Pipe::shut(in.from);
  Pipe::shut(out.to);
  Pipe::shut(err.to);
  Finished finished;
  if (!converse(in, out, err, input, finished)) {
    ::kill(pid, SIGKILL);
    ADD_FAILURE() << "does not end: " << testing::PrintToString(words) << "\n" << finished.err;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  finished.code = exit_code(status);
  return finished;
}

BesideProgram::BesideProgram(const Words& words, const Words& environment, const std::string& out_file,
                             const std::function<void()>& before_exec, int third)
    : out_file_(out_file) {
  const std::vector<char*> argv = pointers(words), envp = pointers(environment);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  pid_ = ::fork();
  if (pid_ == 0) {
    if (before_exec) before_exec();
    become(argv.data(), envp.data(), nothing, out, out, third);
  }
  ::close(nothing);
  ::close(out);
}

BesideProgram::~BesideProgram() {
  if (over_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void BesideProgram::signal(int number) const {
  if (!over_) ::kill(pid_, number);
}

int BesideProgram::end() {
  const auto ended = [this] {
    int status = 0;
    if (!over_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      over_ = true;
      code_ = exit_code(status);
      signalled_ = WIFSIGNALED(status);
    }
    return over_;
  };
  EXPECT_TRUE(wait_until(ended)) << "process " << pid_ << " does not end; it said: " << output();
  return code_;
}

std::string BesideProgram::output() const {
  return read_text(out_file_);
}

bool is_running(pid_t pid) {
  const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;
  const char state = stat[name_end + 2];
  if (state != 'Z' && state != 'X') return true;
  // A killed process keeps its files and locks until its last thread is gone.
  std::error_code gone;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", gone);
  return !gone && std::distance(begin(threads), end(threads)) > 1;
}

bool looks_at(pid_t pid, int signal) {
  const std::string status = read_text("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("SigBlk:\t");
  if (at == std::string::npos) return false;
  return (std::stoull(status.substr(at + 8), nullptr, 16) >> (signal - 1) & 1) != 0;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace luzia
