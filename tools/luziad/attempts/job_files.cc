#include "tools/luziad/attempts/job_files.h"

#include <spdlog/spdlog.h>

#include "adapters/job_dir/job_dir.h"
#include "engine/event/job_state.h"
#include "projections/query.h"
#include "tools/luziad/attempts/exit_lines.h"

namespace luzia {
namespace {

/// Whether the job's last attempt is over without an exit record from luzia-run.
bool has_no_record(const view::Job& row, const JobState& job) {
  const bool is_ours = job.attempt != 0 && !is_foreign(job);
  return is_ours && is_terminal(job.state) && !row.exit_code() && row.signal() == 0;
}

}  // namespace

void JobFiles::job_changed(const JobState& job) {
  if (is_foreign(job)) return;
  if (!timer_ || job.attempt == 0 || (job.state == schema::JobState::starting && job.pid == 0)) return;
  const Change change{job.spec->uid, job.spec->gid, job.position};
  if (job.attempt_over || is_terminal(job.state)) {
    changed_.erase(job.job);
    return write(job.job, change);
  }
  changed_[job.job] = change;
  if (changed_.size() > 1) return;
  timer_->start(kLagMs, [this] {
    for (const auto& [id, last] : std::exchange(changed_, {})) write(id, last);
  });
}

void JobFiles::write(const std::string& job, const Change& change) {
  const auto work = [store = store_, job, change] {
    const auto rows = store.views.snapshot();
    const auto row = find_job(*rows, store.log, job);
    if (!row) return;
    if (auto written = write_meta_json(*row, row->task, change.uid, change.gid); !written) {
      spdlog::warn("job {}: {}", job, written.error().message);
    }
  };
  store_.when_at(change.position, [this, work, job] { writers_.run(job, work); });
}

void JobFiles::close() {
  changed_.clear();
  timer_.reset();
}

void JobFiles::refresh(History& history) {
  constexpr std::uint32_t kEnded = 100;
  wire::QueryT query;
  query.view = wire::View::status;
  query.limit = kEnded;
  query.long_queue = true;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = true;
  const std::string run_dir = store_.folder + "/run";
  const auto page = run_query(*store_.views.snapshot(), QuerySources{store_.log, {}, {}}, query);
  if (!page) return spdlog::warn("{}", page.error().message);
  for (const std::string& row : page->rows) {
    const auto* job = flatbuffers::GetRoot<view::Job>(row.data());
    if (changed_.contains(job->id()->str())) continue;  // it goes on: its row is behind
    const auto state = history.load_job(job->id()->str());
    if (!state || !*state) continue;
    job_changed(**state);
    if (has_no_record(*job, **state)) writers_.run((*state)->job, exit_line_work(run_dir, **state));
  }
}

}  // namespace luzia
