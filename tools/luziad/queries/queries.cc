#include "tools/luziad/queries/queries.h"

#include <set>
#include <utility>

#include "engine/base/ids.h"
#include "engine/view/view_checkpoints.h"
#include "projections/past_views.h"
#include "projections/query.h"
#include "projections/queue_reasons.h"
#include "projections/registry.h"
#include "projections/rows/row_bytes.h"
#include "tools/luziad/queries/waiting.h"

namespace luzia {

namespace {

/// Outdated rows are no answer: the client gets the reason, and the daemon restarts (see Daemon).
Status rows_stand_still(const Status& why) {
  return fail(ErrorKind::trouble, "views_failed",
              "reading the rows: they do not follow the log any more" +
                  (why ? std::string() : ": " + why.error().message),
              "ask again in a moment: luziad starts over and brings them up to date");
}

void join_budget(view::ProjectSpendingT& row, const DayBudgetConfig& budget) {
  row.tokens_budget = budget.tokens;
  row.cost_budget_usd = budget.cost_usd;
  row.time_budget_us = budget.time_ms * 1'000;
}

const DayBudgetConfig* budget_of(const Config& config, const std::string& project) {
  if (project.empty()) return &config.budgets.day;
  const auto it = config.projects.find(project);
  return it == config.projects.end() ? nullptr : &it->second.budgets;
}

/// Adds the configured budgets to today's use. A row of an earlier day means no use today. The time of jobs
/// that work now is added.
void join_budgets(RowPage& page, const Config& config, const Engine& engine, TimeUs now) {
  for (std::string& bytes : page.rows) {
    view::ProjectSpendingT row;
    flatbuffers::GetRoot<view::ProjectSpending>(bytes.data())->UnPackTo(&row);
    if (row.day != day_of(now)) {
      std::string project = std::move(row.project);
      row = {};
      row.project = std::move(project);
      row.day = day_of(now);
    }
    row.time_us += engine.queue().stops().spending.working_us(row.project, now);
    if (const DayBudgetConfig* budget = budget_of(config, row.project)) join_budget(row, *budget);
    bytes = row_bytes(row);
  }
}

void join_memory(view::JobT& job, const LiveMemory::ByJob& known) {
  const auto it = known.find(job.id);
  if (it != known.end() && !is_terminal(job.state)) job.resident_kib = it->second;
}

bool shows_jobs(wire::View view) {
  return view == wire::View::jobs || view == wire::View::status || view == wire::View::overview;
}

/// Adds to a live job's row what only memory has; null: nothing.
void join_live_tail(view::JobT& job, const LiveTail* tail) {
  if (tail == nullptr) return;
  job.last_line = tail->last_line;
  const std::uint64_t before = tail->generation == 0 ? job.log_from : 0;  // not this job's
  job.output_bytes = std::max(job.output_bytes, tail->bytes - std::min(tail->bytes, before));
  job.output_lines = std::max(job.output_lines, tail->lines);
}

/// Adds why the entries' jobs wait, from the scheduler; to the first ones also their places and estimates,
/// which take longer to find.
void join_reasons(RowPage& page, const Engine& engine, const ViewReader& rows, TimeUs now,
                  const std::function<bool(std::string_view)>& may_see) {
  std::size_t estimates = 250;
  for (std::string& bytes : page.rows) {
    view::QueueEntryT entry;
    flatbuffers::GetRoot<view::QueueEntry>(bytes.data())->UnPackTo(&entry);
    if (estimates > 0) {
      --estimates;
      tell_reason(entry, waiting_row(engine, rows, entry.job, now, may_see), now);
    } else if (const JobState* job = engine.find_live(entry.job)) {
      if (const auto reason = engine.queue().reason(*job, now)) {
        tell_reason(entry, waiting_row(entry.job, *reason), now);
        entry.place = 0;
      }
    }
    bytes = row_bytes(entry);
  }
}

}  // namespace

void when_current(Engine& engine, const Store& store, std::function<void(Status)> then) {
  engine.when_durable([&engine, store, then = std::move(then)](const Status& status) {
    if (!status) return then(status);
    const Position durable = engine.durable();
    if (store.view_thread.position() >= durable) return then({});
    store.when_at(durable, [&rows = store.view_thread, durable, then] {
      const bool there = rows.position() >= durable;
      then(there ? Status() : rows_stand_still(rows.status()));
    });
  });
}

void Queries::release() {
  auto waiting = std::exchange(held_, std::nullopt);
  if (!waiting) return;
  for (auto& then : *waiting) when_current(std::move(then));
}

void Queries::when_current(std::function<void(Status)> then) {
  constexpr std::size_t kMostHeld = 1'000;  // each keeps its request, up to a whole prompt
  if (held_ && held_->size() == kMostHeld) threads_.mailbox.post([this] { release(); });
  if (held_) return held_->push_back(std::move(then));
  luzia::when_current(desk_.engine, store_, std::move(then));
}

Status Queries::when_current(const RequestId& to, std::function<Status()> then) {
  when_current([this, to, then = std::move(then)](const Status& status) {
    refuse_unless(desk_, to, status ? then() : status);
  });
  return {};
}

Status Queries::answer(const RequestId& to, const Caller& caller, const wire::Query& query) {
  auto copy = std::shared_ptr<wire::QueryT>(query.UnPack());
  if (!copy->filter) copy->filter = std::make_unique<wire::FilterT>();
  return when_current(to, [this, to, caller, copy]() -> Status {
    if (copy->view == wire::View::waiting) return send_waiting(to, caller, *copy);
    run(to, caller, copy);
    return {};
  });
}

/// The scheduler knows this, not the rows; hence only for the present, and for named jobs.
Status Queries::send_waiting(const RequestId& to, const Caller& caller, const wire::QueryT& query) {
  if (query.at_position != 0 || query.at_time_us != 0) {
    return fail(ErrorKind::usage, "only_now", "what a job waits for is known of now only");
  }
  constexpr std::size_t kMostJobs = 100;
  const auto rows = store_.views.snapshot();
  const auto may_see = project_filter(desk_.config, caller);
  RowPage page{wire::RowType::waiting, {}, {}, rows->cursor().position};
  for (std::size_t i = 0; i < std::min(kMostJobs, query.filter->jobs.size()); ++i) {
    const std::string id = LUZIA_TRY(resolve_job(*rows, query.filter->jobs[i], may_see));
    if (const auto row = waiting_row(desk_.engine, *rows, id, wall_now(), may_see))
      page.rows.push_back(row_bytes(*row));
  }
  return send_reply(desk_, to, rows_reply(page));
}

void Queries::send_jobs(const RequestId& to, const Caller& caller, std::vector<std::string> jobs) {
  auto query = std::make_shared<wire::QueryT>();
  query->view = wire::View::jobs;
  query->limit = kMaxLimit;
  query->filter = std::make_unique<wire::FilterT>();
  query->filter->jobs = std::move(jobs);
  when_current(to, [this, to, caller, query]() -> Status {
    run(to, caller, query);
    return {};
  });
}

struct Queries::Work {
  std::shared_ptr<wire::QueryT> query;
  std::unique_ptr<ViewReader> rows;
  QuerySources sources;
  std::map<std::string, LiveTail> tails;
  std::shared_ptr<const LiveMemory::ByJob> memory;  // never null
  std::optional<LiveMemory::Look> look = {};        // to be taken first: `memory` is too old
  Result<RowPage> page = tl::unexpected(Error{});

  bool is_of_the_past() const { return query->at_position != 0 || query->at_time_us != 0; }
  /// On a worker.
  void find_page(const std::string& store);
};

std::shared_ptr<Queries::Work> Queries::work_of(const Caller& caller,
                                                std::shared_ptr<wire::QueryT> query) const {
  auto work = std::make_shared<Work>(
      Work{std::move(query),
           store_.views.snapshot(),
           {store_.log, project_filter(desk_.config, caller), {}, threads_.stopping, nullptr, wall_now()},
           {},
           memory_.known()});
  work->sources.scheduler_tells = true;
  work->sources.threads = FoldThreads::one;  // queries get no threads besides the pool's workers
  work->sources.flows_ended_since = flows_kept_since(desk_.config, work->sources.now);
  return work;
}

void Queries::reply(const RequestId& to, Work& work) {
  if (!work.page) return refuse(desk_, to, work.page.error());
  RowPage& page = *work.page;
  const auto join = [this, &work, now = wall_now()](RowPage& rows) {
    if (rows.type == wire::RowType::project_spending) join_budgets(rows, desk_.config, desk_.engine, now);
    if (rows.type == wire::RowType::queue_entry)
      join_reasons(rows, desk_.engine, *work.rows, now, work.sources.may_see);
  };
  if (!work.is_of_the_past()) {
    join(page);
    std::ranges::for_each(page.parts, join);
  }
  send_reply(desk_, to, rows_reply(page));
}

void Queries::run(const RequestId& to, const Caller& caller, std::shared_ptr<wire::QueryT> query) {
  const bool past = query->at_position != 0 || query->at_time_us != 0;
  const bool single = query->view == wire::View::jobs && query->filter->jobs.size() == 1 && !past;
  // Without an attempt there is no memory to look at.
  const auto waits = [this](const std::string& name) {
    const JobState* job = desk_.engine.find_live(name);
    return is_job_id(name) && (job == nullptr || job->pid == 0);
  };
  if (single && (!memory_.is_due(monotonic_now()) || waits(query->filter->jobs.front()))) {
    // One row by key: cheaper here than two thread switches.
    const auto work = work_of(caller, std::move(query));
    work->sources.join_live = [this, &work](view::JobT& job) {
      join_live_tail(job, watcher_.tail(job.id));
      join_memory(job, *work->memory);
    };
    work->page = run_query(*work->rows, work->sources, *work->query);
    return reply(to, *work);
  }
  turns_.take([this, to] { return desk_.server.is_open(to.connection); },
              [this, to, caller, query = std::move(query)] { run_on_worker(to, work_of(caller, query)); });
}

void Queries::run_on_worker(const RequestId& to, const std::shared_ptr<Work>& work) {
  if (!work->is_of_the_past()) {
    work->tails = watcher_.tails();
    if (shows_jobs(work->query->view) && memory_.is_due(monotonic_now())) look_at_memory(*work);
  }
  threads_.workers.run([work, store = store_.folder] { work->find_page(store); },
                       [this, to, work] {
                         if (work->look) memory_.looked(work->memory, monotonic_now());
                         reply(to, *work);
                         turns_.over();
                       });
}

void Queries::look_at_memory(Work& work) {
  std::vector<const JobState*> running;
  for (const auto& [id, tail] : work.tails) {
    const JobState* job = desk_.engine.find_live(id);
    if (job != nullptr && job->pid != 0) running.push_back(job);
  }
  work.look = memory_.begin(running);
}

void Queries::Work::find_page(const std::string& store) {
  if (look) memory = look->take();
  sources.join_live = [this](view::JobT& job) {
    const auto it = tails.find(job.id);
    join_live_tail(job, it == tails.end() ? nullptr : &it->second);
    join_memory(job, *memory);
  };
  PastRows past;
  sources.past = &past;
  const auto earlier = [&](Position at) {
    return open_checkpoint(store, sources.log, all_projections(), at);
  };
  const Status prepared =
      prepare_past(past, sources.log, *rows, *query, earlier, sources.stop, sources.threads);
  page = prepared ? run_query(*rows, sources, *query) : tl::unexpected(prepared.error());
}

void Queries::resolve_names(std::vector<std::string> names, const Caller& caller,
                            std::function<void(Result<std::map<std::string, std::string>>)> then) {
  when_current([this, names = std::move(names), caller, then = std::move(then)](const Status& status) {
    if (!status) return then(tl::unexpected(status.error()));
    const auto rows = store_.views.snapshot();
    const auto may_see = project_filter(desk_.config, caller);
    std::map<std::string, std::string> ids;
    for (const std::string& name : names) {
      auto id = resolve_job(*rows, name, may_see);
      if (!id) return then(tl::unexpected(id.error()));
      ids.insert_or_assign(name, std::move(*id));
    }
    then(std::move(ids));
  });
}

void Queries::resolve(const std::vector<std::string>& names, const Caller& caller,
                      std::function<void(Result<std::vector<std::string>>)> then) {
  resolve_names(names, caller, [names, then = std::move(then)](auto found) {
    if (!found) return then(tl::unexpected(found.error()));
    std::vector<std::string> ids;
    std::set<std::string> seen;
    for (const std::string& name : names) {
      const std::string& id = found->at(name);
      if (seen.insert(id).second) ids.push_back(id);
    }
    then(std::move(ids));
  });
}

Status Queries::resolve(const RequestId& to, const std::vector<std::string>& names, const Caller& caller,
                        std::function<Status(std::vector<std::string>)> then) {
  resolve(names, caller, [this, to, then = std::move(then)](auto ids) {
    refuse_unless(desk_, to, ids ? then(std::move(*ids)) : Status(tl::unexpected(ids.error())));
  });
  return {};
}

}  // namespace luzia
