#include "projections/live_jobs.h"

#include <map>

#include "projections/spending.h"

namespace luzia {
namespace {

std::string live_key(std::string_view job) {
  return std::string("l").append(job);
}
std::string active_job_key(std::string_view job) {
  return std::string("a").append(job);
}
std::string ended_key(std::string_view job) {
  return std::string("e").append(job);
}

constexpr std::string_view kEndSumsKey = "u";

std::string end_key(std::uint64_t sequence) {
  return std::string("t").append(big_endian_32(static_cast<std::uint32_t>(sequence % kLastEnds)));
}

std::string removal_key(std::uint64_t position) {
  return std::string("r").append(big_endian_64(position));
}

/// The number of ends, and of imported jobs.
view::LastEndT end_sums(const ViewReader& rows) {
  const auto row = read_row<view::LastEnd>(rows, kLiveJobsView, kEndSumsKey);
  return row ? row->native() : view::LastEndT();
}

std::string order_key(const JobState& job) {
  return std::string("q")
      .append(1, static_cast<char>(9 - std::min<int>(9, job.priority)))
      .append(big_endian_64(job.queued_position))
      .append(job.job);
}

view::QueueEntryT queue_entry(const JobState& job) {
  view::QueueEntryT entry;
  entry.job = job.job;
  entry.project = job.spec->project;
  entry.agent = job.spec->agent;
  entry.priority = job.priority;
  entry.queued_us = job.queued_us;
  entry.held = job.held;
  entry.after = job.after;
  entry.queued_position = job.queued_position;
  return entry;
}

/// Has its own cache instead of row tables: one look-up per event, and no row is created for a job that was
/// queued and ended between two flushes.
class LiveJobs : public Projection {
 public:
  explicit LiveJobs(ViewReaderSource rows) : rows_(rows), spending_(std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kLiveJobsView, kSpendingView}; }

  void fold(const schema::Event& event) override {
    if (const auto* queue = event.payload_as_QueueEvent()) return spending_.note(*queue);
    const std::string_view id = job_of_stream(text(event.stream()));
    if (id.empty()) return;
    const auto* fact = event.payload_as_JobEvent();
    const bool begins = fact && begins_job(*fact);
    Entry& entry = begins ? *jobs_.try_emplace(std::string(id)).first : load(id);
    Slot& slot = entry.second;
    if (!begins && slot.job.job.empty()) return;  // never queued: of a newer program
    const JobUse before = use_of(slot.job);
    const bool was_over = is_terminal(slot.job.state);
    evolve(slot.job, event);
    if (fact && fact->fact_type() == schema::JobFact::JobImported) {
      ++imported_;
    } else if (!was_over && is_terminal(slot.job.state)) {
      ends_.emplace_back(id);
    }
    if (fact && fact->fact_as_JobRemoved()) removals_.emplace_back(event.position(), id);
    if (const JobUse after = use_of(slot.job); after != before) {
      spending_.add(slot.job.spec->project, before, after, event.time_us());
    }
    if (!slot.changed) changed_.push_back(&entry);
    slot.changed = true;
  }

  void flush(RowBatch& batch) override {
    for (Entry* entry : changed_) flush_slot(batch, entry->first, entry->second);
    changed_.clear();
    flush_ends(batch);
    flush_removals(batch);
    spending_.flush(batch);
    if (jobs_.size() > kMaxJobs) jobs_.clear();
  }

 private:
  static constexpr std::size_t kMaxJobs = RowTable<view::LiveJob>::kMaxRows;

  struct Slot {
    JobState job;  // empty id: no such job
    bool changed = false;
    std::string stored_key;    // of the stored LiveJob row; empty: none
    std::string stored_place;  // of the stored QueueEntry row; empty: none
    bool stored_active = false;
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Jobs = std::unordered_map<std::string, Slot, TextHash, std::equal_to<>>;
  using Entry = Jobs::value_type;

  static std::string row_of(const JobState& job) {
    return is_terminal(job.state) ? ended_key(job.job) : live_key(job.job);
  }
  static std::string place_of(const JobState& job) {
    return job.state == schema::JobState::queued ? order_key(job) : std::string();
  }

  static bool is_active(const JobState& job) {
    return job.state != schema::JobState::queued && !is_terminal(job.state);
  }

  Entry& load(std::string_view id) {
    const auto it = jobs_.find(id);
    if (it != jobs_.end()) return *it;
    Entry& entry = *jobs_.try_emplace(std::string(id)).first;
    if (auto job = find_job_state(rows_(), id)) {
      Slot& slot = entry.second;
      slot.job = std::move(*job);
      slot.stored_key = row_of(slot.job);
      slot.stored_place = place_of(slot.job);
      slot.stored_active = is_active(slot.job);
    }
    return entry;
  }

  void flush_slot(RowBatch& batch, const std::string& id, Slot& slot) {
    slot.changed = false;
    replace(batch, slot.stored_key, row_of(slot.job));
    builder_.Clear();
    builder_.Finish(view::LiveJob::Pack(builder_, &slot.job));
    add_row(batch, kLiveJobsView, slot.stored_key, built());
    if (const bool active = is_active(slot.job); active != slot.stored_active) {
      add_row(batch, kLiveJobsView, active_job_key(id), active ? std::optional("") : std::nullopt);
      slot.stored_active = active;
    }
    replace(batch, slot.stored_place, place_of(slot.job));
    if (slot.stored_place.empty()) return;
    builder_.Clear();
    const view::QueueEntryT entry = queue_entry(slot.job);
    builder_.Finish(view::QueueEntry::Pack(builder_, &entry));
    add_row(batch, kLiveJobsView, slot.stored_place, built());
  }
  void flush_ends(RowBatch& batch) {
    if (ends_.empty() && imported_ == 0) return;
    view::LastEndT sums = end_sums(rows_());
    const std::size_t first = ends_.size() - std::min<std::size_t>(ends_.size(), kLastEnds);
    for (std::size_t i = first; i < ends_.size(); ++i) {
      view::LastEndT end;
      end.sequence = sums.sequence + i + 1;
      end.job = std::move(ends_[i]);
      add_end(batch, end_key(end.sequence), end);
    }
    sums.sequence += ends_.size();
    sums.imported += imported_;
    add_end(batch, kEndSumsKey, sums);
    ends_.clear();
    imported_ = 0;
  }
  void flush_removals(RowBatch& batch) {
    for (auto& [position, job] : removals_) {
      view::LastEndT removal;
      removal.sequence = position;
      removal.job = std::move(job);
      add_end(batch, removal_key(position), removal);
    }
    removals_.clear();
  }
  void add_end(RowBatch& batch, std::string_view key, const view::LastEndT& end) {
    builder_.Clear();
    builder_.Finish(view::LastEnd::Pack(builder_, &end));
    add_row(batch, kLiveJobsView, key, built());
  }
  static void replace(RowBatch& batch, std::string& stored, std::string key) {
    if (!stored.empty() && stored != key) add_row(batch, kLiveJobsView, stored, std::nullopt);
    stored = std::move(key);
  }
  std::string_view built() const { return as_text({builder_.GetBufferPointer(), builder_.GetSize()}); }

  ViewReaderSource rows_;
  Jobs jobs_;
  std::vector<Entry*> changed_;
  std::vector<std::string> ends_;  // jobs that ended since the last flush; imported_ likewise
  std::uint64_t imported_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> removals_;  // since the last flush
  SpendingRows spending_;
  flatbuffers::FlatBufferBuilder builder_;
};

void visit_ids_back(const ViewReader& rows, const std::string& from, const std::string& end,
                    const VisitId& visit) {
  const std::size_t id_at = row_key(kLiveJobsView, from).size();
  rows.scan_back(row_key(kLiveJobsView, from), row_key(kLiveJobsView, end),
                 [&](std::string_view key, std::string_view) { return visit(key.substr(id_at)); });
}

}  // namespace

std::unique_ptr<Projection> make_live_jobs_projection(ViewReaderSource rows) {
  return std::make_unique<LiveJobs>(std::move(rows));
}

void visit_live_jobs(const ViewReader& rows, const std::function<void(JobState&&)>& visit) {
  rows.scan(row_key(kLiveJobsView, "l"), row_key(kLiveJobsView, "m"),
            [&](std::string_view, std::string_view value) {
              visit(StoredRow<view::LiveJob>(value).native());
              return true;
            });
}

std::optional<JobState> find_job_state(const ViewReader& rows, std::string_view job) {
  auto row = find_state_row(rows, job, false);
  if (!row) row = find_state_row(rows, job, true);
  return row ? std::optional<JobState>(row->native()) : std::nullopt;
}

std::optional<StoredRow<view::LiveJob>> find_state_row(const ViewReader& rows, std::string_view job,
                                                       bool ended) {
  return read_row<view::LiveJob>(rows, kLiveJobsView, ended ? ended_key(job) : live_key(job));
}

void visit_live_ids_back(const ViewReader& rows, std::string_view end, const VisitId& visit) {
  visit_ids_back(rows, live_key(""), end.empty() ? "m" : live_key(end), visit);
}

void visit_active_ids_back(const ViewReader& rows, const VisitId& visit) {
  visit_ids_back(rows, active_job_key(""), "b", visit);
}

bool visit_last_ends(const ViewReader& rows, const VisitId& visit) {
  const view::LastEndT sums = end_sums(rows);
  const std::uint64_t forgotten = sums.sequence - std::min(sums.sequence, kLastEnds);
  for (std::uint64_t sequence = sums.sequence; sequence > forgotten; --sequence) {
    const auto row = read_row<view::LastEnd>(rows, kLiveJobsView, end_key(sequence));
    if (!row || !visit(text((*row)->job()))) break;
  }
  return forgotten == 0 && sums.imported == 0;
}

void visit_removals(const ViewReader& rows, std::uint64_t after,
                    const std::function<void(std::uint64_t position, std::string_view job)>& visit) {
  rows.scan(row_key(kLiveJobsView, removal_key(after + 1)), row_key(kLiveJobsView, "s"),
            [&](std::string_view, std::string_view value) {
              const StoredRow<view::LastEnd> row(value);
              visit(row->sequence(), text(row->job()));
              return true;
            });
}

void visit_queue(const ViewReader& rows, const std::function<bool(view::QueueEntryT&)>& visit,
                 const std::function<bool(std::string_view job)>& wants) {
  std::uint32_t place = 0;
  rows.scan(row_key(kLiveJobsView, "q"), row_key(kLiveJobsView, "r"),
            [&](std::string_view, std::string_view value) {
              ++place;
              const StoredRow<view::QueueEntry> row(value);
              if (wants && !wants(text(row->job()))) return true;
              view::QueueEntryT entry = row.native();
              entry.position = place;
              return visit(entry);
            });
}

std::vector<view::QueueEntryT> queue_entries(const ViewReader& rows, const std::vector<std::string>& jobs) {
  std::map<std::string, view::QueueEntryT> in_order;
  for (const std::string& id : jobs) {
    const auto row = read_row<view::LiveJob>(rows, kLiveJobsView, live_key(id));
    if (!row) continue;
    const JobState job = row->native();
    if (job.state == schema::JobState::queued) in_order.emplace(order_key(job), queue_entry(job));
  }
  std::vector<view::QueueEntryT> entries;
  for (auto& [key, entry] : in_order) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace luzia
