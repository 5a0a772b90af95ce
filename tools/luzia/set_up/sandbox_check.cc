#include "tools/luzia/set_up/sandbox_check.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace luzia {
namespace {

bool confines(const SandboxConfig& sandbox) {
  return !sandbox.kind.empty() && sandbox.kind != "off";
}

/// As luzia-run does it: some systems allow the namespaces, but no mounts in them.
int try_namespaces() {
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
  const bool made = ::unshare(users | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS) == 0 &&
                    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                    ::mount("tmpfs", "/proc", "tmpfs", 0, nullptr) == 0;
  return made ? 0 : errno;
}

}  // namespace

std::optional<std::string> asks_for_sandbox(const Config& config) {
  if (confines(config.jobs.sandbox)) return "[jobs]";
  for (const auto& [name, project] : config.projects) {
    if (confines(project.sandbox)) return "[projects." + name + "]";
  }
  for (const auto& [name, agent] : config.agents) {
    if (confines(agent.sandbox)) return "[agents." + name + "]";
  }
  return std::nullopt;
}

std::string why_no_sandbox() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(try_namespaces());
  int status = 0;
  if (child < 0) return ::strerror(errno);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return "the attempt was killed";
  return WEXITSTATUS(status) == 0 ? std::string() : std::string(::strerror(WEXITSTATUS(status)));
}

}  // namespace luzia
