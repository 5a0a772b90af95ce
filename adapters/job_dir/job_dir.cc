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

// Files of an attempt that the next one must not find. Other files that an agent keeps there stay.
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

// With `--`, env accepts entries with any name. But env would take a program with `=` in its name for another
// entry, so a shell runs such a program.
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

// Without the mark, existing files belong to the earlier attempt. If there are none, they were moved already
// and only the mark is missing.
Status move_earlier_files(OwnedDirectory& directory, const JobDirSpec& spec) {
  if (exists(spec.moved_mark)) return {};
  const std::string into = "attempt-" + std::to_string(spec.attempt - 1);
  LUZIA_TRY(directory.move_into(kAttemptFiles, std::size(kAttemptFiles), into));
  return make_mark(spec.moved_mark);
}

}  // namespace

Status prepare_job_dir(const JobDirSpec& spec) {
  auto directory = LUZIA_TRY(OwnedDirectory::open_or_create(spec.path, spec.uid, spec.gid));
  if (spec.attempt > 1 && !directory.is_new()) {
    LUZIA_TRY(move_earlier_files(directory, spec));
  }
  for (const JobDirSpec::Answered& each : spec.answered) {
    LUZIA_TRY(directory.copy_from("attempt-" + std::to_string(spec.attempt - 1), each.asked));
    LUZIA_TRY(directory.write(each.answered, each.text, 0600));
  }
  LUZIA_TRY(directory.write("prompt.txt", spec.prompt, 0600));
  if (spec.task) {
    LUZIA_TRY(directory.write("task.sh", *spec.task, 0600));
  }
  LUZIA_TRY(directory.write("run.sh", run_script(spec), 0700));
  LUZIA_TRY(directory.create_empty("output.log", 0600));
  // For luzia-run's lock. Created now so that, if the disk is full, the start waits as it does for the other
  // files.
  LUZIA_TRY(directory.create_empty("claim", 0600));
  if (!spec.folder.empty()) {
    LUZIA_TRY(directory.create_folder(spec.folder));
  }
  return directory.hand_over();
}

}  // namespace luzia
