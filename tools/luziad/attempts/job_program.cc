#include "tools/luziad/attempts/job_program.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "adapters/launcher/launcher.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

struct Executor {
  uid_t uid;
  std::vector<gid_t> groups;
};

Executor account_of(const schema::JobSpecT& spec) {
  Executor who{spec.uid, {}};
  const std::string groups = runner_user(spec.uid, spec.gid);  // "1000:1000:1000,27,"
  std::istringstream listed(groups.substr(groups.rfind(':') + 1));
  for (std::string group; std::getline(listed, group, ',');) {
    who.groups.push_back(static_cast<gid_t>(std::stoul(group)));
  }
  return who;
}

/// Checks the mode bits only; an access list that differs shows at the start.
bool may_execute(const struct stat& status, const Executor& who) {
  if (who.uid == 0) return S_ISDIR(status.st_mode) || (status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
  if (status.st_uid == who.uid) return (status.st_mode & S_IXUSR) != 0;
  const bool member = std::ranges::find(who.groups, status.st_gid) != who.groups.end();
  return (status.st_mode & (member ? S_IXGRP : S_IXOTH)) != 0;
}

bool may_reach(const fs::path& folder, const Executor& who) {
  for (fs::path at = folder;; at = at.parent_path()) {
    struct stat status;
    if (::stat(at.c_str(), &status) != 0 || !may_execute(status, who)) return false;
    if (at == at.root_path()) return true;
  }
}

/// Whether it is a file that the account can execute, also through links.
bool is_program_for(const fs::path& path, const Executor& who) {
  if (!may_reach(path.parent_path(), who)) return false;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  struct stat status;
  return !error && may_reach(real.parent_path(), who) && ::stat(real.c_str(), &status) == 0 &&
         S_ISREG(status.st_mode) && may_execute(status, who);
}

std::string_view path_in(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  const auto found =
      std::ranges::find_if(environment, [&](const std::string& entry) { return entry.starts_with(kName); });
  return found == environment.end() ? std::string_view() : std::string_view(*found).substr(kName.size());
}

}  // namespace

Result<std::string> find_job_program(const schema::JobSpecT& spec, const std::vector<std::string>& command,
                                     const std::vector<std::string>& environment) {
  const std::string name = command.empty() ? std::string() : command.front();
  const Executor who = account_of(spec);
  const fs::path here = spec.working_dir;  // a worktree has the same files
  const bool by_path = name.find('/') == std::string::npos;
  std::string_view path = path_in(environment);
  if (!by_path) {
    const fs::path program = (here / name).lexically_normal();
    if (is_program_for(program, who)) return program.string();
  }
  for (bool more = by_path && !name.empty(); more;) {
    const std::size_t colon = path.find(':');
    const fs::path program = (here / path.substr(0, colon) / name).lexically_normal();
    if (is_program_for(program, who)) return program.string();
    more = colon != std::string_view::npos;
    if (more) path.remove_prefix(colon + 1);
  }
  return fail(
      ErrorKind::refused, "no_program",
      "agent '" + spec.agent + "': there is no program '" + name + "' that " + spec.user + " can execute" +
          (by_path ? " on PATH (" + std::string(path_in(environment)) + ")" : ""),
      "install it, or name it in [agents." + spec.agent + "] command; luzia doctor looks at all agents");
}

}  // namespace luzia
