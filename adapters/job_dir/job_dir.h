// The job directory that people and agents see (contract: Dispatch). Luzia never trusts what it finds there: all
// access by directory fd, O_NOFOLLOW, written by rename.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "view.fb.h"

namespace luzia {

struct JobDirSpec {
  std::string path;  // JOBS/<id>
  std::uint32_t attempt = 1;
  std::uint32_t uid = 0, gid = 0;
  std::string prompt;
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string working_dir;
  bool stdin_prompt = true;
};

/// Creates or completes the directory for an attempt: mode 0700 of the user, prompt.txt, run.sh, an empty
/// output.log; for attempt >= 2 the earlier files move to attempt-<n-1>/ first. Idempotent.
Status prepare_job_dir(const JobDirSpec& spec);

/// meta.json in the older tool's shape plus ours, renamed into place.
Status write_meta_json(const view::JobT& job, std::string_view task, std::uint32_t uid, std::uint32_t gid);

/// argv template with {task} {prompt_file} {project} {project_path} {session_id} {job_id} {job_dir} filled in;
/// `{{` stands for `{`. Unknown placeholders are an error (`unknown_placeholder`).
Result<std::vector<std::string>> fill_placeholders(const std::vector<std::string>& argv_template,
                                                   const std::vector<std::pair<std::string, std::string>>& values);

/// Text quoted for a POSIX shell.
std::string shell_quote(std::string_view text);

}  // namespace luzia
