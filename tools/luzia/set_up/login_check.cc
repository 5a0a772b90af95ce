#include "tools/luzia/set_up/login_check.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "engine/base/spawning.h"

namespace luzia {
namespace {

using LoginClock = std::chrono::steady_clock;
constexpr auto kLoginCheckLimit = std::chrono::seconds(5);
constexpr auto kLoginCheckEvery = std::chrono::milliseconds(10);

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

/// 0: it could not be started.
pid_t start_quietly(std::vector<std::string> words, std::vector<std::string> environment) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const SpawnAttributes attributes;
  std::vector<char*> argv = exec_pointers(words), variables = exec_pointers(environment);
  pid_t pid = 0;
  const int failed =
      ::posix_spawnp(&pid, argv.front(), &files, attributes.get(), argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  return failed == 0 ? pid : 0;
}

}  // namespace

LoginCheck check_login(const std::string& program, const std::vector<std::string>& words,
                       const std::map<std::string, std::string>& env) {
  if (words.empty()) return LoginCheck::unknown;
  std::vector<std::string> command = {program};
  command.insert(command.end(), words.begin(), words.end());
  const pid_t pid = start_quietly(std::move(command), environment_with(env));
  if (pid == 0) return LoginCheck::unknown;
  const auto until = LoginClock::now() + kLoginCheckLimit;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(pid, &status, WNOHANG)) == 0 && LoginClock::now() < until) {
    std::this_thread::sleep_for(kLoginCheckEvery);
  }
  if (ended == 0) {
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (ended != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1) return LoginCheck::unknown;
  return WEXITSTATUS(status) == 0 ? LoginCheck::good : LoginCheck::bad;
}

}  // namespace luzia
