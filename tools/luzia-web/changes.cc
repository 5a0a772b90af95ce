#include "tools/luzia-web/changes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "projections/rows/harmless.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia-web/clock.h"
#include "tools/luzia-web/readings.h"
#include "tools/read/commands.h"

namespace luzia::web {
namespace {

constexpr std::size_t kMostDiff = 8 << 20, kMostComplaint = 64 << 10;
constexpr std::int64_t kDiffPatienceUs = 30'000'000;

struct Spoken {
  std::string out, err;
  int code = -1;
};

struct TwoEnds {
  Descriptor read, write;
};

Result<TwoEnds> new_ends() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "no_pipe", "comparing files");
  return TwoEnds{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Reads both until they end; false: too long, or too much.
bool read_both(const TwoEnds& out, const TwoEnds& err, Spoken& spoken) {
  const std::int64_t until = steady_us() + kDiffPatienceUs;
  pollfd open[2] = {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const std::int64_t left = until - steady_us();
    if (left <= 0 || spoken.out.size() > kMostDiff || spoken.err.size() > kMostComplaint) return false;
    if (::poll(open, 2, static_cast<int>(left / 1'000) + 1) < 0) continue;
    for (pollfd& each : open) {
      if (each.revents == 0) continue;
      char bytes[16 << 10];
      const ssize_t size = ::read(each.fd, bytes, sizeof bytes);
      if (size > 0) (&each == open ? spoken.out : spoken.err).append(bytes, static_cast<std::size_t>(size));
      if (size <= 0) each.fd = -1;
    }
  }
  return true;
}

/// Ends luzia and its git, which is in a process group of its own and may run a filter that hangs.
void kill_both(pid_t luzia) {
  ::kill(luzia, SIGSTOP);  // it starts no other
  const std::string number = std::to_string(luzia);
  std::ifstream children("/proc/" + number + "/task/" + number + "/children");
  for (pid_t child = 0; children >> child;) ::kill(-child, SIGKILL);
  ::kill(-luzia, SIGKILL);
}

/// Runs luzia with these words.
Result<Spoken> run_luzia(std::vector<std::string> words) {
  words.insert(words.begin(), find_own_program("luzia"));
  if (words.front().empty())
    return fail(ErrorKind::trouble, "no_luzia", "luzia is not installed with luzia-web");
  auto out = LUZIA_TRY(new_ends());
  auto err = LUZIA_TRY(new_ends());
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.write.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const SpawnAttributes attributes;
  std::vector<std::string> variables = daemon_environment(::environ);
  const auto argv = exec_pointers(words), envp = exec_pointers(variables);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, words.front().c_str(), &files, attributes.get(), argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, "no_luzia", "starting luzia");
  out.write.reset();
  err.write.reset();
  Spoken spoken;
  const bool whole = read_both(out, err, spoken);
  if (!whole) kill_both(pid);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole)
    return fail(ErrorKind::trouble, "diff_too_long",
                "comparing files: it takes too long, or has changed too much", "luzia diff shows it");
  spoken.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return spoken;
}

}  // namespace

Answer changes(const DaemonDoor& door, const std::string& store, const std::string& device,
               const Match& match, const Request& request) {
  // luzia speaks for the daemon's user, so the device's own rights are asked first.
  const auto row = run_command(place_at(door, device), kJobCommand, {"--", match.values.find("job")->second});
  if (!row) return problem(row.error());
  const auto job = nlohmann::json::parse(*row, nullptr, false);
  if (!job.is_object() || store.empty())
    return problem(
        {ErrorKind::trouble, "no_store", "the store is not known here", "start luzia-web with --store"});
  const bool patch = request.header("accept").starts_with("text/x-diff");
  std::vector<std::string> words = {"--store", store, "diff", patch ? "--no-pager" : "--json"};
  if (const std::string* attempt = request.parameter("attempt"))
    words.push_back("--attempt=" + std::to_string(parse_whole_number(*attempt).value_or(0)));
  words.push_back(job.value("id", ""));
  const auto spoken = run_luzia(std::move(words));
  if (!spoken) return problem(spoken.error());
  if (spoken->code != 0) {
    if (!patch) return problem(printed_error(spoken->err, spoken->code));
    return problem({spoken->code == 3 ? ErrorKind::not_found : ErrorKind::refused, "no_diff",
                    make_harmless(spoken->err.substr(0, spoken->err.find('\n'))), ""});
  }
  Answer answer;
  if (patch) answer.type = "text/x-diff; charset=utf-8";
  answer.body = spoken->out;
  answer.headers.emplace_back("Vary", "Accept");
  return answer;
}

}  // namespace luzia::web
