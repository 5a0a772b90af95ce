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

void JobFiles::refresh(History& history) {
  constexpr std::uint32_t kEnded = 100;
  wire::QueryT query;
  query.view = wire::View::status;
  query.limit = kEnded;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = true;
  const auto page = run_query(*parts_.views.snapshot(), QuerySources{parts_.log, {}, {}}, query);
  if (!page) return spdlog::warn("{}", page.error().message);
  for (const std::string& row : page->rows) {
    const auto* job = flatbuffers::GetRoot<view::Job>(row.data());
    const auto state = history.load_job(job->id()->str());
    if (state && *state) job_changed(**state);
  }
}

}  // namespace luzia
