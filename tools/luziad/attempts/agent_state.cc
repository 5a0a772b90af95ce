#include "tools/luziad/attempts/agent_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "engine/base/descriptor.h"
#include "engine/base/try.h"
#include "engine/ports/agent.h"
#include "tools/luziad/attempts/job_repository.h"
#include "tools/luziad/watching/file_eyes.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using Part = JobRepository::Part;

bool is_of_another(const schema::JobSpecT& spec) {
  return ::geteuid() == 0 && spec.uid != 0;
}

bool is_named(const std::vector<std::string>& paths, const std::string& path) {
  return std::ranges::find(paths, path) != paths.end();
}

/// What means nothing to the agent that reads it.
std::string_view empty_settings(const std::string& name) {
  // GitHub Copilot CLI (1.0.102) fails without this member.
  if (name == "mcp-config.json") return "{\"mcpServers\":{}}\n";
  return name.ends_with(".json") ? "{}\n" : "";
}

/// Not over another file. NFS cannot promise that: what somebody else makes just then is replaced there.
bool give_name(int folder, const std::string& from, const std::string& name) {
  if (::renameat2(folder, from.c_str(), folder, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL) return false;
  struct stat status;
  const bool taken = ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (taken) errno = EEXIST;
  return !taken && ::renameat(folder, from.c_str(), folder, name.c_str()) == 0;
}

Descriptor open_new(int folder, const std::string& name) {
  return Descriptor(
      ::openat(folder, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
}

/// It is whole, or not there: an agent takes an empty file of JSON for a broken one.
bool make_file(int folder, const std::string& name, mode_t mode) {
  const std::string_view text = empty_settings(name);
  std::string other_name;  // until it is whole, where a file system has no files without a name
  Descriptor file(::openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR)) {
    other_name = "." + name + "." + std::to_string(::gettid());
    file = open_new(folder, other_name);
    // Of a process that was killed.
    if (!file && errno == EEXIST && ::unlinkat(folder, other_name.c_str(), 0) == 0)
      file = open_new(folder, other_name);
  }
  if (!file) return false;
  const std::string own = "/proc/self/fd/" + std::to_string(file.get());
  // A network's file system says only then that it is full, and after a loss of power it would be empty.
  const bool kept = write_fully(file.get(), text) && (text.empty() || ::fsync(file.get()) == 0);
  const bool written = kept && ::fchmod(file.get(), mode) == 0;
  const bool named = written && (other_name.empty() ? ::linkat(AT_FDCWD, own.c_str(), folder, name.c_str(),
                                                               AT_SYMLINK_FOLLOW) == 0
                                                    : give_name(folder, other_name, name));
  const int error = errno;
  if (!named && !other_name.empty()) ::unlinkat(folder, other_name.c_str(), 0);
  errno = error;
  return named || error == EEXIST;
}

/// As open to others as the folder around it.
bool make_in(int folder, const std::string& name, bool is_folder) {
  struct stat status;
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno != ENOENT || ::fstat(folder, &status) != 0) return false;
  const mode_t mode = (status.st_mode & 0777) | 0700;
  if (!is_folder) return make_file(folder, name, mode & 0666);
  if (::mkdirat(folder, name.c_str(), mode) != 0) return errno == EEXIST;
  // An agent that may write here may have put a link in its place.
  const Descriptor made(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return made && ::fchmod(made.get(), mode) == 0;
}

/// Whether the job's user owns the folder that keeps that user out, so that an agent can open it to itself.
bool is_closed_by_owner(const schema::JobSpecT& spec, fs::path folder) {
  struct stat status;
  while (::stat(folder.c_str(), &status) != 0) {
    if (errno != EACCES || folder == folder.root_path()) return false;
    folder = folder.parent_path();
  }
  return status.st_uid == spec.uid;
}

Status make_read_only(const schema::JobSpecT& spec, const Part& what) {
  const fs::path around = what.path.parent_path();
  const Descriptor folder(::open(around.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const bool there = folder ? make_in(folder.get(), what.path.filename(), what.is_folder)
                            : errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
  const int error = errno;
  if (there || error == EPERM || error == EROFS) return {};
  if (error == EACCES && !is_closed_by_owner(spec, around)) return {};
  return fail_errno(error, "sandbox_unavailable",
                    "sandbox_unavailable: cannot make " + what.path.string() +
                        ", which is missing and which the agent must not make");
}

/// Of the agent's state wherever the dispatch found it, whatever the attempt's variables say.
std::vector<Part> read_only_places(const schema::JobSpecT& spec, const Agent* agent) {
  std::vector<Part> all;
  if (auto repository = repository_of_job(spec)) all = std::move(repository->only_read);
  if (agent == nullptr) return all;
  for (const std::string& path : spec.sandbox->read) {
    const fs::path whole = path;
    const std::string name = "/" + whole.filename().string();
    // An empty .env would keep its agent from looking for another one.
    if (name == "/.env" || !is_named(spec.sandbox->write, whole.parent_path())) continue;
    for (const std::string_view known : agent->state_to_read) {
      if (known.ends_with(name) || known.ends_with(name + "/")) all.push_back({whole, known.ends_with('/')});
    }
  }
  return all;
}

}  // namespace

void make_users_folder(const schema::JobSpecT& spec, const std::string& name) {
  const fs::path path = fs::path(spec.home) / name;
  const bool of_another = is_of_another(spec);
  std::optional<FileEyes> eyes;
  std::error_code ignored;
  if (name.find('/') != std::string::npos && fs::is_directory(spec.home, ignored)) {
    // A link of that user may lead anywhere.
    if (of_another) eyes.emplace(std::vector<gid_t>{spec.gid}, spec.uid, spec.gid);
    if (eyes && !eyes->is_other()) return;
    fs::create_directories(path.parent_path(), ignored);
  }
  if (mkdir(path.c_str(), 0700) != 0 || !of_another || eyes) return;
  // The user owns the parent folder, so something else may have this name by now.
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status {};
  if (fstat(fd, &status) == 0 && status.st_uid == 0) {
    [[maybe_unused]] const int unchanged = fchown(fd, spec.uid, spec.gid);
  }
  close(fd);
}

Status make_agent_state(const schema::JobSpecT& spec, const std::vector<std::string>& argv) {
  const Agent* agent = agent_of(spec.agent, argv);
  // What does not exist cannot be shown as writable, and the first session would be gone with its attempt.
  if (agent != nullptr && !spec.sandbox->write.empty()) make_users_folder(spec, spec.sandbox->write.front());
  const std::vector<Part> wanted = read_only_places(spec, agent);
  // Not as root where that user could lead it elsewhere.
  std::optional<FileEyes> eyes;
  if (is_of_another(spec)) eyes.emplace(groups_of(spec.user, spec.gid), spec.uid, spec.gid);
  if (eyes && !eyes->is_other()) {
    return fail(ErrorKind::trouble, "sandbox_unavailable",
                "sandbox_unavailable: cannot look at the files of user " + std::to_string(spec.uid),
                "give the daemon CAP_SETUID and CAP_SETGID");
  }
  for (const Part& each : wanted) LUZIA_TRY(make_read_only(spec, each));
  return {};
}

}  // namespace luzia
