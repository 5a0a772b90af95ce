#include "adapters/launcher/launcher.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "adapters/launcher/process_table.h"
#include "adapters/launcher/run_record.h"
#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"
#include "engine/base/want_of_room.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kReportFd = 3, kSecretsFd = 4;  // in luzia-run
constexpr const char* kSecretsName = "luzia-secrets";
constexpr std::size_t kMostSecrets = 1 << 20;  // bytes

std::string attempt_name(const LaunchSpec& spec) {
  return "attempt " + std::to_string(spec.attempt) + " of job " + spec.job;
}

tl::unexpected<Error> bad_spec(const LaunchSpec& spec, const std::string& what) {
  return fail(ErrorKind::usage, "launch_usage", "cannot start " + attempt_name(spec) + ": " + what);
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

Status check_name(const LaunchSpec& spec) {
  if (spec.job.empty() || spec.job.front() == '.' || spec.job.find('/') != std::string::npos ||
      has_nul(spec.job) || spec.job.size() > run_record::kJobIdMax) {
    return bad_spec(spec, "the job's id cannot be a file name");
  }
  if (spec.attempt == 0) return bad_spec(spec, "attempts count from 1");
  return {};
}

Status check(const LaunchSpec& spec) {
  if (spec.boot_id.size() != run_record::kBootIdSize) return bad_spec(spec, "the boot id is not known");
  for (const std::string* path : {&spec.run_dir, &spec.job_dir, &spec.working_dir}) {
    if (!path->starts_with('/')) return bad_spec(spec, "'" + *path + "' is not an absolute path");
    if (has_nul(*path)) return bad_spec(spec, "a path has a NUL byte");
  }
  if (spec.argv.empty() || spec.argv.front().empty()) return bad_spec(spec, "the command is empty");
  for (const auto* list : {&spec.argv, &spec.env, &spec.secrets, &spec.preflight, &spec.verify, &spec.shown,
                           &spec.guarded, &spec.hosts}) {
    for (const std::string& text : *list) {
      if (has_nul(text)) return bad_spec(spec, "an argument or environment entry has a NUL byte");
    }
  }
  for (const std::string& entry : spec.env) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      return bad_spec(spec, "the environment entry '" + entry.substr(0, equals) + "' has no NAME=VALUE form");
    }
  }
  if (spec.uid != ::geteuid() && ::geteuid() != 0) {
    return fail(ErrorKind::refused, "launch_refused",
                "cannot start " + attempt_name(spec) + " as user " + std::to_string(spec.uid) +
                    ": the daemon runs as user " + std::to_string(::geteuid()),
                "only a daemon of root can run jobs of other users");
  }
  return {};
}

/// As built and as installed.
std::string proxy_beside(const std::string& program) {
  const std::filesystem::path folder = std::filesystem::absolute(program).parent_path();
  const std::filesystem::path built = folder / ".." / "luzia-proxy" / "luzia-proxy";
  const bool is_built = ::access(built.c_str(), X_OK) == 0;
  return (is_built ? built : folder / "luzia-proxy").lexically_normal().string();
}

std::vector<std::string> runner_arguments(const std::string& program, const LaunchSpec& spec) {
  // The pipe first, so that a luzia-run of another version can report what it does not understand.
  std::vector<std::string> out{program,
                               "--report-fd=" + std::to_string(kReportFd),
                               "--run-dir=" + spec.run_dir,
                               "--job=" + spec.job,
                               "--attempt=" + std::to_string(spec.attempt),
                               "--boot-id=" + spec.boot_id,
                               "--job-dir=" + spec.job_dir,
                               "--working-dir=" + spec.working_dir};
  if (spec.stdin_prompt) out.emplace_back("--stdin-prompt");
  if (spec.open_files != 0) out.push_back("--open-files=" + std::to_string(spec.open_files));
  if (!spec.limits.empty()) out.push_back("--limits=" + spec.limits);
  if (!spec.cgroup.empty()) out.push_back("--cgroup=" + spec.cgroup);
  if (!spec.secrets.empty()) out.push_back("--secrets-fd=" + std::to_string(kSecretsFd));
  if (spec.uid != ::geteuid()) out.push_back("--user=" + runner_user(spec.uid, spec.gid));
  if (!spec.preflight.empty()) {
    out.push_back("--preflight-timeout-ms=" + std::to_string(spec.preflight_timeout_ms));
    for (const std::string& command : spec.preflight) out.push_back("--preflight=" + command);
  }
  if (!spec.verify.empty()) {
    out.push_back("--verify-timeout-ms=" + std::to_string(spec.verify_timeout_ms));
    for (const std::string& command : spec.verify) out.push_back("--verify=" + command);
  }
  if (!spec.sandbox_network.empty()) {
    out.push_back("--sandbox=" + spec.sandbox_network);
    if (!spec.hosts.empty()) out.push_back("--proxy=" + proxy_beside(program));
    for (const std::string& host : spec.hosts) out.push_back("--reach=" + host);
    if (spec.private_bytes != 0) out.push_back("--private-bytes=" + std::to_string(spec.private_bytes));
    for (const std::string& rule : spec.shown) out.push_back("--show=" + rule);
    for (const std::string& path : spec.guarded) out.push_back("--guard=" + path);
  }
  out.emplace_back("--");
  out.insert(out.end(), spec.argv.begin(), spec.argv.end());
  return out;
}

// Prefixed with '@', so that no variable for the agent (LD_PRELOAD, GLIBC_TUNABLES) affects luzia-run, which
// may be root. Not on the command line, which all users of the machine can read.
std::vector<std::string> marked_environment(const LaunchSpec& spec) {
  std::vector<std::string> out;
  out.reserve(spec.env.size());
  for (const std::string& entry : spec.env) out.push_back('@' + entry);
  return out;
}

// A file in memory alone. An environment would do too, but luzia-run's could be read in /proc as long as the
// attempt lasts, and by root's other programs.
Result<Descriptor> secrets_file(const LaunchSpec& spec) {
  Descriptor file;
  if (spec.secrets.empty()) return file;
  std::string text;
  for (const std::string& entry : spec.secrets) text.append(entry).push_back('\0');
  file.reset(::memfd_create(kSecretsName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const bool written =
      file && write_fully(file.get(), text) &&
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
  const int error = errno;
  ::explicit_bzero(text.data(), text.size());
  if (written) return file;
  return fail_errno(error, "out_of_resources", "cannot hand secrets to " + attempt_name(spec),
                    "see the limits on open files and memory (ulimit -n, free)");
}

struct Handed {
  int report, secrets;  // secrets: -1 for none
};

// posix_spawn that undoes the daemon's own process settings. Returns 0 or an errno value.
int spawn(const std::string& program, std::vector<std::string> arguments,
          std::vector<std::string> environment, const Handed& handed, pid_t& pid) {
  // Out of the way of the numbers that they get.
  const Descriptor report(::fcntl(handed.report, F_DUPFD_CLOEXEC, kSecretsFd + 1));
  const Descriptor secrets(handed.secrets < 0 ? -1
                                              : ::fcntl(handed.secrets, F_DUPFD_CLOEXEC, kSecretsFd + 1));
  if (!report || (handed.secrets >= 0 && !secrets)) return errno;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, report.get(), kReportFd);
  if (secrets) posix_spawn_file_actions_adddup2(&files, secrets.get(), kSecretsFd);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, (secrets ? kSecretsFd : kReportFd) + 1);
  const SpawnAttributes attributes;
  const auto argv = exec_pointers(arguments);
  const auto envp = exec_pointers(environment);
  const int error = ::posix_spawn(&pid, program.c_str(), &files, attributes.get(), argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  return error;
}

tl::unexpected<Error> cannot_spawn(int error, const std::string& program, const LaunchSpec& spec) {
  if (error == ENOENT || error == EACCES) {
    return fail_errno(error, "runner_missing", "cannot run " + program + " for " + attempt_name(spec),
                      "luzia-run belongs beside luziad: install it again");
  }
  if (error == E2BIG) {
    return fail_errno(error, "launch_refused", "cannot start " + attempt_name(spec),
                      "the command and environment are too long: let the agent read {prompt_file} or stdin");
  }
  const bool is_short = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  return fail_errno(error, is_short ? "out_of_resources" : "launch_failed",
                    "cannot start a process for " + attempt_name(spec),
                    "see the limits on processes and memory (ulimit -u, free)");
}

// Luzia-run's reason for starting nothing, as an error.
tl::unexpected<Error> not_started(const LaunchSpec& spec, std::string_view why) {
  const std::string what = "cannot start " + attempt_name(spec) + ": ";
  if (!why.starts_with(run_record::kNoRoom)) {
    return fail(ErrorKind::trouble, "launch_failed", what + std::string(why));
  }
  why.remove_prefix(std::string_view(run_record::kNoRoom).size());
  return fail(ErrorKind::trouble, "out_of_resources", what + std::string(why), kMakeRoom);
}

struct Report {
  std::string line;
  bool timed_out = false;
};

// Reads luzia-run's line; the report also covers a timeout and luzia-run's exit.
Report read_report(int fd, Clock::time_point deadline) {
  std::string report;
  while (!report.ends_with('\n')) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return {report, true};
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left) + 1) <= 0) continue;
    char bytes[2048];
    const ssize_t size = ::read(fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    report.append(bytes, static_cast<std::size_t>(size));
  }
  return {report};
}

// Kills a luzia-run that reported nothing and claimed nothing: it could still start the agent after nobody
// waits for it. False if it could not be killed.
bool end_silent_runner(const ProcessId& runner, int report) {
  signal_process(static_cast<pid_t>(runner.pid), runner.start, SIGKILL);
  return !read_report(report, Clock::now() + std::chrono::seconds(2)).timed_out;
}

std::optional<Claim> parse_started(const std::string& text, const std::string& boot_id) {
  Claim claim;
  claim.boot_id = boot_id;
  unsigned long long agent_start = 0;
  unsigned long long runner_start = 0;
  if (std::sscanf(text.c_str(), "started %u %llu %u %llu", &claim.agent.pid, &agent_start, &claim.runner.pid,
                  &runner_start) != 4) {
    return std::nullopt;
  }
  claim.agent.start = agent_start;
  claim.runner.start = runner_start;
  return claim;
}

tl::unexpected<Error> unconfirmed(const LaunchSpec& spec) {
  return fail(ErrorKind::trouble, "launch_unconfirmed",
              "the luzia-run of " + attempt_name(spec) + " has not written its claim",
              "the disk of " + spec.run_dir + " may hang");
}

// Follows the claim of a luzia-run that does not report to us. If it lives, returns its claim at once; if it
// ended, once the claim is final.
Result<Claim> follow_claim(const LaunchSpec& spec, Clock::time_point deadline) {
  auto pause = std::chrono::milliseconds(1);
  for (;;) {
    // Read the claim last: once the lock is free or the record exists, the agent line no longer changes.
    const bool held = is_claim_held(spec.run_dir, spec.job, spec.attempt);
    const auto end = read_exit_record(spec.run_dir, spec.job, spec.attempt);
    const auto claim = read_claim(spec.run_dir, spec.job, spec.attempt);
    const bool readable = claim && claim->has_value();
    const bool ended = !end || end->has_value();
    if (readable && (held || (*claim)->agent.pid != 0 || ended)) return **claim;
    if (!held) {
      return fail(ErrorKind::trouble, "runner_died",
                  "the luzia-run of " + attempt_name(spec) + " was killed before it started the agent",
                  "retry the job");
    }
    if (Clock::now() >= deadline) return unconfirmed(spec);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
}

}  // namespace

std::string runner_user(std::uint32_t uid, std::uint32_t gid) {
  std::vector<gid_t> groups{gid};
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16 * 1024);
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    int count = 64;
    groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(found->pw_name, gid, groups.data(), &count) < 0) {
      groups.resize(static_cast<std::size_t>(count));
      ::getgrouplist(found->pw_name, gid, groups.data(), &count);
    }
    groups.resize(static_cast<std::size_t>(count));
  }
  std::string user = std::to_string(uid) + ':' + std::to_string(gid) + ':';
  for (const gid_t group : groups) user += std::to_string(group) + ',';
  return user;
}

std::optional<std::vector<std::string>> secrets_held_by(const ProcessId& runner) {
  if (!is_alive(runner)) return std::nullopt;
  const std::string path = "/proc/" + std::to_string(runner.pid) + "/fd/" + std::to_string(kSecretsFd);
  std::error_code unread;
  const std::string target = std::filesystem::read_symlink(path, unread).string();
  if (target.find(kSecretsName) == std::string::npos) return std::nullopt;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto text = read_up_to(file.get(), kMostSecrets);
  if (!text || text->empty() || !is_alive(runner)) return std::nullopt;
  std::vector<std::string> entries;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    entries.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return entries;
}

Launcher::Launcher(std::string runner_program, std::chrono::milliseconds patience)
    : runner_program_(std::move(runner_program)), patience_(patience) {}

Result<Claim> Launcher::launch(const LaunchSpec& spec) const {
  const auto deadline = Clock::now() + patience_;
  LUZIA_TRY(check_name(spec));
  if (::access(claim_path(spec.run_dir, spec.job, spec.attempt).c_str(), F_OK) == 0) {
    return follow_claim(spec, deadline);
  }
  LUZIA_TRY(check(spec));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return fail_errno(errno, "out_of_resources", "cannot make a pipe for " + attempt_name(spec),
                      "see the limit on open files (ulimit -n)");
  }
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  pid_t pid = 0;
  const Descriptor secrets = LUZIA_TRY(secrets_file(spec));
  const int error = spawn(runner_program_, runner_arguments(runner_program_, spec), marked_environment(spec),
                          {write_end.get(), secrets.get()}, pid);
  write_end.close();
  if (error != 0) return cannot_spawn(error, runner_program_, spec);
  const ProcessId runner{static_cast<std::uint32_t>(pid),
                         process_start_time(static_cast<std::uint32_t>(pid)).value_or(0)};
  const auto [report, timed_out] = read_report(read_end.get(), deadline);
  if (report.starts_with("failed ")) {
    return not_started(spec, std::string_view(report).substr(7, report.size() - 8));
  }
  if (auto claim = parse_started(report, spec.boot_id)) return *claim;
  const bool claimed = is_claim_held(spec.run_dir, spec.job, spec.attempt);
  if (timed_out && !claimed && !end_silent_runner(runner, read_end.get())) return unconfirmed(spec);
  return follow_claim(spec, deadline);
}

}  // namespace luzia
