#include "adapters/git/git_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 512 << 20, kMostErrors = 16 << 10, kMostReason = 300;

/// Settings that override any configuration.
constexpr const char* kSettings[] = {"core.fsmonitor=false",
                                     "core.hooksPath=/dev/null",
                                     "core.pager=cat",
                                     "core.editor=:",
                                     "gc.auto=0",
                                     "maintenance.auto=false",
                                     "commit.gpgSign=false",
                                     "core.splitIndex=false",
                                     "core.safecrlf=false",
                                     "core.quotePath=false",
                                     "submodule.recurse=false",
                                     "core.logAllRefUpdates=false",
                                     "core.askPass=false",
                                     "core.alternateRefsCommand=false"};
constexpr const char* kOffline[] = {"protocol.allow=never", "core.sshCommand=false", "credential.helper="};

constexpr std::array<std::pair<const char*, const char*>, 8> kVariables = {{{"GIT_OPTIONAL_LOCKS", "0"},
                                                                            {"GIT_TERMINAL_PROMPT", "0"},
                                                                            {"GIT_NO_REPLACE_OBJECTS", "1"},
                                                                            {"GIT_LITERAL_PATHSPECS", "1"},
                                                                            {"GIT_PAGER", "cat"},
                                                                            {"GIT_EDITOR", ":"},
                                                                            {"LC_ALL", "C"},
                                                                            {"LANGUAGE", ""}}};

/// Whether a variable is inherited. Those that help to find things are; those that select a repository, index
/// or program are not.
bool is_inherited(std::string_view entry) {
  if (!entry.starts_with("GIT_")) return true;
  for (const char* kept :
       {"GIT_CONFIG", "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM=", "GIT_EXEC_PATH="}) {
    if (entry.starts_with(kept)) return true;
  }
  return false;
}

/// The line that states the reason: without `fatal:`, printable characters only.
std::string reason_of(std::string_view text) {
  std::string_view chosen;
  bool is_certain = false;
  while (!text.empty() && !is_certain) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    is_certain = line.starts_with("fatal: ") || line.starts_with("error: ");
    if (is_certain || !line.empty()) chosen = is_certain ? line.substr(7) : line;
  }
  return without_control_characters(std::string(chosen.substr(0, kMostReason)));
}

/// One git process, from start to end.
class GitProcess {
 public:
  GitProcess(const Git::Taker& take, std::string_view input, GitDeadline deadline)
      : take_(take), input_(input), deadline_(deadline) {}
  ~GitProcess() { end(); }
  GitProcess(const GitProcess&) = delete;
  GitProcess& operator=(const GitProcess&) = delete;

  Status start(std::vector<std::string> words, std::vector<std::string> variables);
  /// Reads its output to the end, then waits for its exit.
  Result<int> watch(std::string& errors);

 private:
  bool make_channels();
  int spawn(std::vector<std::string>& words, std::vector<std::string>& variables);
  Status exchange(std::string& errors);
  void feed();
  int left_ms() const;
  void end();

  const Git::Taker& take_;
  std::string_view input_;
  GitDeadline deadline_;
  Descriptor in_, out_, err_, process_, in_far_, out_far_, err_far_;
  pid_t pid_ = -1;
  bool wanted_ = true;
};

bool GitProcess::make_channels() {
  int in[2], out[2], err[2];
  // A socket, because MSG_NOSIGNAL suppresses SIGPIPE after the reader is gone.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) return false;
  in_ = Descriptor(in[0]);
  in_far_ = Descriptor(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return false;
  out_ = Descriptor(out[0]);
  out_far_ = Descriptor(out[1]);
  if (::pipe2(err, O_CLOEXEC) != 0) return false;
  err_ = Descriptor(err[0]);
  err_far_ = Descriptor(err[1]);
  for (const int fd : {in_.get(), out_.get(), err_.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return true;
}

int GitProcess::spawn(std::vector<std::string>& words, std::vector<std::string>& variables) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in_far_.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out_far_.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err_far_.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const SpawnAttributes attributes;
  const auto argv = exec_pointers(words);
  const auto envp = exec_pointers(variables);
  const int error = ::posix_spawnp(&pid_, "git", &files, attributes.get(), argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) pid_ = -1;
  return error;
}

Status GitProcess::start(std::vector<std::string> words, std::vector<std::string> variables) {
  if (!make_channels()) return fail_errno(errno, "no_git", "cannot run git");
  if (const int error = spawn(words, variables); error != 0) {
    return fail_errno(error, "no_git", "cannot run git", "install git, or put it on PATH");
  }
  in_far_.close();
  out_far_.close();
  err_far_.close();
  process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (input_.empty()) in_.close();
  return {};
}

int GitProcess::left_ms() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

void GitProcess::feed() {
  const ssize_t size = ::send(in_.get(), input_.data(), input_.size(), MSG_NOSIGNAL);
  if (size > 0) input_.remove_prefix(static_cast<std::size_t>(size));
  const bool gone = size < 0 && errno != EAGAIN && errno != EINTR;  // it need not read its input
  if (gone || input_.empty()) in_.close();
}

Status GitProcess::exchange(std::string& errors) {
  std::array<char, 1 << 16> bytes;
  while (wanted_ && (out_ || err_)) {
    if (left_ms() == 0) return fail(ErrorKind::trouble, "git_timeout", "git did not end in its time");
    std::array<pollfd, 3> waiting = {
        {{in_.get(), POLLOUT, 0}, {out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), left_ms()) <= 0) continue;
    if (waiting[0].revents != 0 && in_) feed();
    for (Descriptor* from : {&out_, &err_}) {
      if (!*from) continue;
      const ssize_t size = ::read(from->get(), bytes.data(), bytes.size());
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (size <= 0) {
        from->close();
        continue;
      }
      const std::string_view piece(bytes.data(), static_cast<std::size_t>(size));
      if (from == &out_) {
        wanted_ = wanted_ && take_(piece);
      } else {
        errors.append(piece.substr(0, kMostErrors - std::min(kMostErrors, errors.size())));
      }
    }
  }
  return {};
}

Result<int> GitProcess::watch(std::string& errors) {
  LUZIA_TRY(exchange(errors));
  if (!wanted_) return 0;  // the destructor ends the process
  in_.close();
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (left_ms() == 0) return fail(ErrorKind::trouble, "git_timeout", "git did not end in its time");
    pollfd waiting{process_.get(), POLLIN, 0};
    ::poll(&waiting, 1, process_ ? left_ms() : 1);
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Kills it, if it still runs, and everything that it started in its group.
void GitProcess::end() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace

Error git_error(const GitOutput& output) {
  const std::string reason = reason_of(output.err);
  return {ErrorKind::refused, "git_failed",
          "git: " + (reason.empty() ? "exit code " + std::to_string(output.exit_code) : reason), ""};
}

std::vector<std::string> split_at_nul(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find('\0'));
    pieces.emplace_back(piece);
    text.remove_prefix(std::min(piece.size() + 1, text.size()));
  }
  return pieces;
}

Result<GitOutput> Git::run(const Words& arguments, std::string_view input, const Taker& take) const {
  Words words = {"git", "--no-pager", "-C", directory_};
  for (const char* setting : kSettings) words.insert(words.end(), {"-c", setting});
  if (!network_) {
    for (const char* setting : kOffline) words.insert(words.end(), {"-c", setting});
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto is_ours = [&](const auto& ours) {
      const std::string_view name = ours.first;
      return text.starts_with(name) && text.substr(name.size()).starts_with('=');
    };
    const bool replaced =
        std::ranges::any_of(kVariables, is_ours) || std::ranges::any_of(variables_, is_ours);
    if (is_inherited(text) && !replaced) variables.emplace_back(text);
  }
  for (const auto& [name, value] : kVariables) variables.push_back(std::string(name) + "=" + value);
  for (const auto& [name, value] : variables_) variables.push_back(name + "=" + value);
  GitProcess process(take, input, deadline_);
  LUZIA_TRY(process.start(std::move(words), std::move(variables)));
  GitOutput output;
  output.exit_code = LUZIA_TRY(process.watch(output.err));
  return output;
}

Result<GitOutput> Git::run(const Words& arguments, std::string_view input) const {
  std::string out;
  bool too_much = false;
  auto ran = run(arguments, input, [&](std::string_view piece) {
    too_much = out.size() + piece.size() > kMostOutput;
    if (!too_much) out += piece;
    return !too_much;
  });
  if (!ran) return ran;
  if (too_much) return fail(ErrorKind::trouble, "git_too_much", "git printed over 512 MiB");
  ran->out = std::move(out);
  return ran;
}

Result<std::string> Git::output(const Words& arguments, std::string_view input) const {
  auto ran = LUZIA_TRY(run(arguments, input));
  if (ran.exit_code != 0) return tl::unexpected(git_error(ran));
  return std::move(ran.out);
}

Result<std::string> Git::line(const Words& arguments) const {
  auto text = output(arguments);
  if (text && text->ends_with('\n')) text->pop_back();
  return text;
}

Status Git::pass(const Words& arguments, const Taker& take) const {
  const auto ran = LUZIA_TRY(run(arguments, {}, take));
  if (ran.exit_code != 0) return tl::unexpected(git_error(ran));
  return {};
}

}  // namespace luzia
