#include "tools/luzia/web/web_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>

#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"
#include "engine/base/store_file.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "tools/cli/json_text.h"
#include "tools/cli/start_daemon.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kProgram = "luzia-web", kStateEnd = ".web.json", kLogEnd = ".web.log";
constexpr auto kLookEvery = std::chrono::milliseconds(10);
constexpr auto kStartPatience = std::chrono::seconds(30), kStopPatience = std::chrono::seconds(15);
constexpr off_t kMostLogBytes = 4 << 20, kLastWords = 4096;

/// Whether the process is a luzia-web of this user that still runs. The file may be older than the last boot,
/// and a program of somebody else may have the number, the name and the port now.
bool is_web(pid_t pid, uid_t user) {
  const std::string folder = "/proc/" + std::to_string(pid);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || status.st_uid != user) return false;
  std::ifstream file(folder + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t end = line.rfind(')');
  return line.find("(" + std::string(kProgram) + ")") != std::string::npos && end + 2 < line.size() &&
         line[end + 2] != 'Z';
}

struct Started {
  pid_t pid;
  Descriptor log;
  off_t from;  // what was in it before
};

/// `config_file`: empty: the default places, as for the daemon.
std::vector<std::string> web_command(const std::string& program, const std::string& store,
                                     const std::string& config_file, const WebListening& web) {
  std::vector<std::string> words = {program, "--store", store};
  if (!config_file.empty()) words.insert(words.end(), {"--config", config_file});
  for (std::string& word : web_options(web)) words.push_back(std::move(word));
  return words;
}

Result<std::string> find_web_program() {
  std::string program = find_own_program(std::string(kProgram));
  if (!program.empty()) return program;
  return fail(ErrorKind::trouble, "no_web_program", "luzia-web is not installed with this luzia",
              "build Luzia with LUZIA_WEB=ON, or install its package");
}

Result<Started> spawn_web(std::vector<std::string> words, const std::string& store) {
  const int opened = LUZIA_TRY(open_store_file(store + std::string(kLogEnd), O_RDWR | O_CREAT | O_APPEND));
  Descriptor log(opened);
  struct stat status {};
  if (::fstat(log.get(), &status) == 0 && status.st_size > kMostLogBytes && ::ftruncate(log.get(), 0) == 0)
    status.st_size = 0;
  const std::string program = words.front();
  std::vector<std::string> variables = daemon_environment(::environ);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, log.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, log.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawn_file_actions_addchdir_np(&files, "/");
  const SpawnAttributes attributes;
  const auto argv = exec_pointers(words), envp = exec_pointers(variables);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &files, attributes.get(), argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "web_failed", "starting " + program);
  return Started{pid, std::move(log), status.st_size};
}

/// The last line that it wrote before it ended.
std::string last_words(const Started& started) {
  std::string text(static_cast<std::size_t>(kLastWords), '\0');
  struct stat status {};
  const off_t size = ::fstat(started.log.get(), &status) == 0 ? status.st_size : 0;
  const ssize_t count =
      ::pread(started.log.get(), text.data(), text.size(), std::max(started.from, size - kLastWords));
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  while (text.ends_with('\n')) text.pop_back();
  return make_harmless(text.substr(text.rfind('\n') + 1));
}

Result<RunningWeb> await_web(const std::string& store, const Started& started) {
  const std::string log = store + std::string(kLogEnd);
  for (const auto deadline = Clock::now() + kStartPatience; Clock::now() < deadline;) {
    auto running = LUZIA_TRY(find_web(store));
    if (running && running->pid == started.pid) return std::move(*running);
    if (::waitpid(started.pid, nullptr, WNOHANG) == started.pid) {
      // Another command may have started one at the same moment.
      if (running) return std::move(*running);
      const std::string words = last_words(started);
      return fail(ErrorKind::trouble, "web_failed",
                  "starting luzia-web: " + (words.empty() ? "it ended and said nothing" : words),
                  "see " + log);
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  return fail(ErrorKind::trouble, "web_slow", "starting luzia-web: it does not listen yet after 30 s",
              "see " + log);
}

}  // namespace

Result<std::optional<RunningWeb>> find_web(const std::string& store) {
  const auto text = LUZIA_TRY(read_store_file(store + std::string(kStateEnd)));
  if (!text) return std::nullopt;
  const auto json = parse_json(*text);
  if (!json || !json->is_object()) return std::nullopt;
  const auto pid = json->find("pid");
  if (pid == json->end() || !pid->is_number_unsigned()) return std::nullopt;
  struct stat file {};
  const bool owned = ::stat((store + std::string(kStateEnd)).c_str(), &file) == 0;
  RunningWeb running{pid->get<pid_t>(), text_of(*json, "url"), text_of(*json, "started"), file.st_uid};
  while (running.url.ends_with('/')) running.url.pop_back();
  if (running.pid <= 0 || running.url.empty() || !owned || !is_web(running.pid, running.user))
    return std::nullopt;
  return running;
}

Result<WebListening> web_listening(Invocation& invocation) {
  const Config* const config = LUZIA_TRY(invocation.config());
  WebListening web = config->web;
  if (invocation.args().has("listen")) web.listen = invocation.args().text("listen");
  LUZIA_TRY(check_listening(web));
  return web;
}

Result<std::string> store_for_web(Invocation& invocation) {
  const auto place = LUZIA_TRY(invocation.place());
  if (!place.store.empty()) return place.store;
  return fail(ErrorKind::usage, "no_store", "only the daemon's socket is known here, not its store",
              "type it outside of the job, or name the store: --store DIR");
}

Result<RunningWeb> start_web(Invocation& invocation) {
  const std::string store = LUZIA_TRY(store_for_web(invocation));
  const WebListening web = LUZIA_TRY(web_listening(invocation));
  auto running = LUZIA_TRY(find_web(store));
  if (running) return std::move(*running);
  const std::string program = LUZIA_TRY(find_web_program());
  LUZIA_TRY(invocation.connect());
  const auto place = LUZIA_TRY(invocation.place());
  const auto started = LUZIA_TRY(spawn_web(web_command(program, store, place.config_file, web), store));
  return await_web(store, started);
}

Status become_web(Invocation& invocation) {
  const std::string store = LUZIA_TRY(store_for_web(invocation));
  const WebListening web = LUZIA_TRY(web_listening(invocation));
  const std::string program = LUZIA_TRY(find_web_program());
  LUZIA_TRY(invocation.connect());
  const auto place = LUZIA_TRY(invocation.place());
  std::vector<std::string> words = web_command(program, store, place.config_file, web);
  ::execv(program.c_str(), exec_pointers(words).data());
  return fail_errno(errno, "web_failed", "starting " + program);
}

Result<bool> stop_web(const std::string& store) {
  const auto running = LUZIA_TRY(find_web(store));
  if (!running) return false;
  if (::kill(running->pid, SIGTERM) != 0 && errno != ESRCH)
    return fail_errno(errno, "web_failed", "ending luzia-web, pid " + std::to_string(running->pid));
  for (const auto deadline = Clock::now() + kStopPatience; Clock::now() < deadline;) {
    if (!is_web(running->pid, running->user)) return true;
    std::this_thread::sleep_for(kLookEvery);
  }
  return fail(ErrorKind::trouble, "web_slow", "luzia-web still runs after 15 s",
              "kill " + std::to_string(running->pid));
}

}  // namespace luzia
