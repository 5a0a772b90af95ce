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

bool names_hosts(const SandboxConfig& sandbox) {
  return !sandbox.hosts.empty();
}

std::optional<std::string> first_that(const Config& config, bool (*fits)(const SandboxConfig&)) {
  if (fits(config.jobs.sandbox)) return "[jobs]";
  for (const auto& [name, project] : config.projects) {
    if (fits(project.sandbox)) return "[projects." + name + "]";
  }
  for (const auto& [name, agent] : config.agents) {
    if (fits(agent.sandbox)) return "[agents." + name + "]";
  }
  return std::nullopt;
}

/// As luzia-run does it: some systems allow the namespaces, but no mounts in them.
int try_namespaces(bool network) {
  const int users = ::geteuid() == 0 ? 0 : CLONE_NEWUSER, own_network = network ? CLONE_NEWNET : 0;
  const bool made =
      ::unshare(users | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | own_network) == 0 &&
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      ::mount("tmpfs", "/proc", "tmpfs", 0, nullptr) == 0;
  return made ? 0 : errno;
}

}  // namespace

std::optional<std::string> asks_for_sandbox(const Config& config) {
  return first_that(config, confines);
}

std::optional<std::string> asks_for_hosts(const Config& config) {
  return first_that(config, names_hosts);
}

std::string why_no_sandbox(bool network) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(try_namespaces(network));
  int status = 0;
  if (child < 0) return ::strerror(errno);
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return "the attempt was killed";
  return WEXITSTATUS(status) == 0 ? std::string() : std::string(::strerror(WEXITSTATUS(status)));
}

}  // namespace luzia
