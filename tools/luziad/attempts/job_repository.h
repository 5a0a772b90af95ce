// The git repository that a sandbox shows as the job's own. Reads the file system, trusts nothing in it:
// agents write there. Worker threads.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "job.fb.h"

namespace luzia {

struct JobRepository {
  struct Part {
    std::filesystem::path path;
    bool is_folder = false;
  };

  std::filesystem::path folder;    // .git, also of a linked worktree the one that all share
  std::filesystem::path worktree;  // of a linked worktree: its own folder in there; else empty
  /// What git outside executes, takes programs from, or is led there by: an agent only reads it.
  std::vector<Part> only_read;
};

/// The one around the job's folder, as the job's user sees it; nullopt: none, or only one at the home or
/// above it. Where the daemon cannot look as that user, it is root that sees it; make_agent_state() refuses
/// that.
std::optional<JobRepository> repository_of_job(const schema::JobSpecT& spec);

}  // namespace luzia
