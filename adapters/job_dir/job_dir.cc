#include "adapters/job_dir/job_dir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "adapters/job_dir/owned_directory.h"
#include "engine/base/shell_quote.h"
#include "engine/base/want_of_room.h"

namespace luzia {
namespace {

// Everything of an attempt that the next one must not find. What else an agent keeps there stays where it is.
constexpr const char* kAttemptFiles[] = {"prompt.txt",    "task.sh",       "run.sh",
                                         "meta.json",     "output.log",    "pid",
                                         "exit.json",     "preflight.log", "clarification.json",
                                         "response.json", "approval.json", "approved.json"};

std::string environment_arguments(const JobDirSpec& spec) {
  std::string text;
  for (const std::string& entry : spec.env) {
    if (entry.find('=') != std::string::npos) text += " \\\n  " + shell_quote(entry);
  }
  return text;
}

std::string command_words(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) text += ' ' + shell_quote(word);
  return text;
}

// `--` lets env take entries of any name. A program with `=` in its name would look like one more entry to
// env, so a shell runs that one.
std::string run_script(const JobDirSpec& spec) {
  const std::string job = spec.path.substr(spec.path.rfind('/') + 1);
  const bool needs_shell = !spec.argv.empty() && spec.argv.front().find('=') != std::string::npos;
  std::string text = "#!/bin/sh\n# Reruns attempt " + std::to_string(spec.attempt) + " of job " + job +
                     " by hand: the same directory, environment, command and input. Luzia takes no notice.\n";
  if (spec.stdin_prompt) text += "here=$(cd -- \"$(dirname -- \"$0\")\" && pwd) || exit 1\n";
  text += "cd -- " + shell_quote(spec.working_dir) + " || exit 1\n";
  text += "exec env -i --" + environment_arguments(spec) + " \\\n ";
  if (needs_shell) text += " /bin/sh -c 'exec \"$@\"' sh";
  text += command_words(spec.argv);
  text += spec.stdin_prompt ? " <\"$here/prompt.txt\"\n" : spec.at_terminal ? "\n" : " </dev/null\n";
  return text;
}

bool exists(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

Status make_mark(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const std::string what = "cannot create " + path;
  if (fd < 0 && is_want_of_room(errno)) return fail_errno(errno, "out_of_resources", what, kMakeRoom);
  if (fd < 0) return fail_errno(errno, "job_dir_failed", what);
  ::close(fd);
  return {};
}

// Without the mark, files that are there are the earlier attempt's. If there are none, they have been moved
// and only the mark is missing.
Status move_earlier_files(OwnedDirectory& directory, const JobDirSpec& spec) {
  if (exists(spec.moved_mark)) return {};
  const std::string into = "attempt-" + std::to_string(spec.attempt - 1);
  if (auto moved = directory.move_into(kAttemptFiles, std::size(kAttemptFiles), into); !moved) return moved;
  return make_mark(spec.moved_mark);
}

}  // namespace

Status prepare_job_dir(const JobDirSpec& spec) {
  auto directory = OwnedDirectory::open_or_create(spec.path, spec.uid, spec.gid);
  if (!directory) return tl::unexpected(directory.error());
  if (spec.attempt > 1 && !directory->is_new()) {
    if (auto moved = move_earlier_files(*directory, spec); !moved) return moved;
  }
  if (auto written = directory->write("prompt.txt", spec.prompt, 0600); !written) return written;
  if (spec.task) {
    if (auto written = directory->write("task.sh", *spec.task, 0600); !written) return written;
  }
  if (auto written = directory->write("run.sh", run_script(spec), 0700); !written) return written;
  if (auto created = directory->create_empty("output.log", 0600); !created) return created;
  // For luzia-run's locks: where there is no room for it the start waits, as for the other files.
  if (auto created = directory->create_empty("claim", 0600); !created) return created;
  if (!spec.folder.empty()) {
    if (auto created = directory->create_folder(spec.folder); !created) return created;
  }
  return directory->hand_over();
}

}  // namespace luzia
