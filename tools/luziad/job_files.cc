#include "tools/luziad/job_files.h"

#include <spdlog/spdlog.h>

#include "adapters/job_dir/job_dir.h"
#include "projections/query.h"

namespace luzia {

void JobFiles::job_changed(const JobState& job) {
  if (job.attempt == 0 || (job.state == schema::JobState::starting && job.pid == 0)) return;
  const auto write = [&parts = parts_, id = job.job, uid = job.spec->uid, gid = job.spec->gid] {
    const auto rows = parts.views.snapshot();
    const auto row = find_job(*rows, parts.log, id);
    if (!row) return;
    if (auto written = write_meta_json(*row, row->task, uid, gid); !written) {
      spdlog::warn("job {}: {}", id, written.error().message);
    }
  };
  parts_.view_thread.when_at(job.position, [this, write, id = job.job] {
    parts_.mailbox.post([this, write, id] { writers_.run(id, write); });
  });
}

}  // namespace luzia
