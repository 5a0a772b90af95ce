#include "tools/luziad/attempts/exit_lines.h"

#include <signal.h>
#include <spdlog/spdlog.h>

#include "adapters/job_dir/job_dir.h"
#include "adapters/launcher/launcher.h"

namespace luzia {
namespace {

/// Never ran (as shells have it), unknown, or killed on request (as luzia-run has it).
int code_of_inferred(schema::JobState state) {
  constexpr int kNotRunnable = 126, kUnknown = 1, kKilled = -SIGKILL;
  if (state == schema::JobState::failed) return kNotRunnable;
  return state == schema::JobState::lost ? kUnknown : kKilled;
}

}  // namespace

std::function<void()> exit_line_work(const std::string& run_dir, const JobState& job) {
  return [id = job.job, dir = job.spec->job_dir, uid = job.spec->uid, code = code_of_inferred(job.state),
          next = moved_mark_path(run_dir, job.job, job.attempt + 1)] {
    if (auto done = append_exit_line(dir, uid, code, next); !done)
      spdlog::warn("job {}: {}", id, done.error().message);
  };
}

}  // namespace luzia
