#include "projections/live_jobs.h"

namespace luzia {
namespace {

std::string live_key(std::string_view job) {
  return std::string("l").append(job);
}
std::string ended_key(std::string_view job) {
  return std::string("e").append(job);
}

std::string order_key(const JobState& job) {
  return std::string("q")
      .append(1, static_cast<char>(9 - std::min<int>(9, job.priority)))
      .append(big_endian_64(job.queued_position))
      .append(job.job);
}

class LiveJobs : public Projection {
 public:
  explicit LiveJobs(const ViewReaderSource& rows) : jobs_(kLiveJobsView, rows), queue_(kLiveJobsView, rows) {}
  std::vector<ProjectionInfo> views() const override { return {kLiveJobsView}; }

  void fold(const schema::Event& event) override {
    const std::string_view id = job_of_stream(text(event.stream()));
    if (id.empty()) return;
    const auto* fact = event.payload_as_JobEvent();
    if (fact && fact->fact_type() == schema::JobFact::JobQueued) {
      JobState& job = jobs_.add(live_key(id));
      evolve(job, event);
      enter_queue(job);
    } else if (JobState* live = jobs_.edit_existing(live_key(id))) {
      step_live(*live, event, fact != nullptr);
    } else if (JobState* ended = jobs_.edit_existing(ended_key(id))) {
      step_ended(*ended, event);
    }
  }
  void flush(RowBatch& batch) override {
    jobs_.flush(batch);
    queue_.flush(batch);
  }

 private:
  void step_live(JobState& job, const schema::Event& event, bool lifecycle) {
    if (!lifecycle) return evolve(job, event);
    const bool was_queued = job.state == schema::JobState::queued;
    const std::string place = was_queued ? order_key(job) : std::string();
    evolve(job, event);
    const bool is_queued = job.state == schema::JobState::queued;
    if (was_queued && (!is_queued || order_key(job) != place)) queue_.erase(place);
    if (is_queued) enter_queue(job);
    if (is_terminal(job.state)) {
      const std::string id = job.job;
      jobs_.put(ended_key(id), jobs_.take(live_key(id)));
    }
  }

  void step_ended(JobState& job, const schema::Event& event) {
    evolve(job, event);
    if (is_terminal(job.state)) return;
    if (job.state == schema::JobState::queued) enter_queue(job);
    const std::string id = job.job;
    jobs_.put(live_key(id), jobs_.take(ended_key(id)));
  }

  void enter_queue(const JobState& job) {
    view::QueueEntryT& entry = queue_.edit(order_key(job));
    entry.job = job.job;
    entry.project = job.spec->project;
    entry.agent = job.spec->agent;
    entry.priority = job.priority;
    entry.queued_us = job.queued_us;
    entry.held = job.held;
    entry.after = job.after;
    entry.queued_position = job.queued_position;
  }

  RowTable<view::LiveJob> jobs_;
  RowTable<view::QueueEntry> queue_;
};

}  // namespace

std::unique_ptr<Projection> make_live_jobs_projection(ViewReaderSource rows) {
  return std::make_unique<LiveJobs>(rows);
}

void visit_live_jobs(const ViewReader& rows, const std::function<void(JobState)>& visit) {
  rows.scan(row_key(kLiveJobsView, "l"), row_key(kLiveJobsView, "m"),
            [&](std::string_view, std::string_view value) {
              visit(StoredRow<view::LiveJob>(value).native());
              return true;
            });
}

std::optional<JobState> find_job_state(const ViewReader& rows, std::string_view job) {
  auto row = read_row<view::LiveJob>(rows, kLiveJobsView, live_key(job));
  if (!row) row = read_row<view::LiveJob>(rows, kLiveJobsView, ended_key(job));
  return row ? std::optional<JobState>(row->native()) : std::nullopt;
}

std::vector<std::string> live_job_ids(const ViewReader& rows, std::string_view prefix, std::size_t limit) {
  std::vector<std::string> ids;
  rows.scan(row_key(kLiveJobsView, live_key(prefix)), row_key(kLiveJobsView, live_key(prefix).append("\xff")),
            [&](std::string_view key, std::string_view) {
              if (ids.size() < limit) ids.emplace_back(key.substr(3));
              return ids.size() < limit;
            });
  return ids;
}

void visit_queue(const ViewReader& rows, const std::function<bool(const view::QueueEntryT&)>& visit) {
  std::uint32_t place = 0;
  rows.scan(row_key(kLiveJobsView, "q"), row_key(kLiveJobsView, "r"),
            [&](std::string_view, std::string_view value) {
              view::QueueEntryT entry = StoredRow<view::QueueEntry>(value).native();
              entry.position = ++place;
              return visit(entry);
            });
}

}  // namespace luzia
