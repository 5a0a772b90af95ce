#include "tools/luziad/intake/auto_fix.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "projections/issues.h"
#include "projections/live_jobs.h"
#include "projections/query.h"
#include "projections/stream_events.h"
#include "projections/streams.h"
#include "tools/luziad/attempts/launch_work.h"

namespace luzia {
namespace {

constexpr TimeUs kLookBack = 10 * kMinuteUs;
constexpr std::uint32_t kMostLookedAt = 200;
constexpr std::uint64_t kSubmitAgainMs = 1'000;
constexpr std::uint64_t kFixTimeoutMs = 10 * 60 * 1'000;

bool wants_fix(const JobState& job) {
  return job.state == schema::JobState::failed && job.end_reason == schema::EndReason::exit_code &&
         !job.fixables.empty();
}

/// The fixes tried in the job so far.
struct Tried {
  std::uint32_t all = 0, of_this = 0;
};

Tried fixes_tried(const ViewReader& rows, const EventLog& log, const JobState& job,
                  std::string_view fingerprint) {
  Tried tried;
  const auto positions = stream_positions(rows, "job/" + job.job);
  const Status read = visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    const auto* issue = event.payload_as_IssueEvent();
    const auto* fix = issue != nullptr ? issue->fact_as_FixStarted() : nullptr;
    if (fix == nullptr) return true;
    ++tried.all;
    if (text(fix->fingerprint()) == fingerprint) ++tried.of_this;
    return true;
  });
  if (!read) tried.all = kMostFixesOfJob;  // if they cannot be counted, assume the limit is reached
  return tried;
}

/// Reads from the rows the jobs that failed since `since`.
std::vector<JobState> failed_since(const ViewReader& rows, const QuerySources& sources, TimeUs since) {
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.limit = kMostLookedAt;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->states = {schema::JobState::failed};
  std::vector<JobState> jobs;
  const auto page = run_query(rows, sources, query);
  if (!page) return jobs;
  for (const std::string& row : page->rows) {
    const auto& shown = *flatbuffers::GetRoot<view::Job>(row.data());
    if (shown.ended_us() < since) continue;
    auto job = find_job_state(rows, text(shown.id()));
    if (job && wants_fix(*job)) jobs.push_back(std::move(*job));
  }
  return jobs;
}

}  // namespace

std::optional<view::FixableT> choose_fix(const ViewReader& rows, const EventLog& log, const JobState& job,
                                         TimeUs now) {
  for (const auto& fixable : job.fixables) {
    const Tried tried = fixes_tried(rows, log, job, fixable->fingerprint);
    if (tried.of_this >= kMostFixes || tried.all >= kMostFixesOfJob) continue;
    const IssueHistory history = issue_history(rows, job.spec->project, fixable->pattern, now + kDayUs);
    if (history.fixes_tried >= kMostFixes && history.fixed == 0) continue;
    return *fixable;
  }
  return std::nullopt;
}

void AutoFix::job_changed(const JobState& job) {
  if (wants_fix(job)) consider(job);
}

/// Considers recently failed jobs.
void AutoFix::consider_failed(bool waiting_only) {
  const bool allowed = config_.issues.allow_auto_fix ||
                       std::ranges::any_of(config_.projects,
                                           [](const auto& project) { return project.second.allow_auto_fix; });
  if (!allowed) return;  // otherwise a start would read rows for nothing
  const TimeUs since = wall_now() - kLookBack;
  when_current(engine_, store_, [this, since, waiting_only](const Status& status) {
    if (!status || threads_.stopping.stop_requested()) return;
    auto jobs = std::make_shared<std::vector<JobState>>();
    threads_.workers.run(
        [this, since, jobs] {
          *jobs = failed_since(*store_.views.snapshot(), {store_.log, {}, {}, threads_.stopping}, since);
        },
        [this, jobs, waiting_only] {
          for (const JobState& job : *jobs) {
            if (!waiting_only || waiting_.contains(job.job)) consider(job);
          }
        });
  });
}

void AutoFix::consider(const JobState& job) {
  auto state = std::make_shared<JobState>(job);
  when_current(engine_, store_, [this, state](const Status& status) {
    if (!status || threads_.stopping.stop_requested()) return;
    auto chosen = std::make_shared<std::optional<view::FixableT>>();
    threads_.workers.run(
        [this, state, chosen, now = wall_now()] {
          *chosen = choose_fix(*store_.views.snapshot(), store_.log, *state, now);
        },
        [this, state, chosen] {
          if (*chosen && !threads_.stopping.stop_requested()) submit(*state, **chosen);
        });
  });
}

void AutoFix::submit(const JobState& job, const view::FixableT& fixable) {
  const schema::JobSpecT& spec = *job.spec;
  wire::DispatchJobT request;
  request.project = spec.project;
  request.task = fixable.fix_command;
  request.agent = "shell";
  request.priority = job.priority;
  request.dir = attempt_directory(spec);  // where the problem is
  if (geteuid() == 0) request.user = spec.user;
  request.timeout_ms = kFixTimeoutMs;
  request.retries = 0;
  request.tags = {"auto-fix"};
  request.parent_job = job.job;
  const TimeUs now = wall_now();
  auto fix = intake_.queue_job(daemon_itself(), request, now);
  if (!fix && may_pass(fix.error())) return try_again(job.job, fix.error());
  waiting_.erase(job.job);
  if (!fix) {
    return spdlog::warn("job {}: the fix of {} is not tried: {}", job.job, fixable.pattern,
                        fix.error().message);
  }
  schema::JobSpecT& fix_spec = std::get<QueueJob>(fix->command).spec;
  if (fix_spec.uid != spec.uid) {
    return spdlog::warn("job {}: the fix of {} is not tried: it would run as {} instead of {}", job.job,
                        fixable.pattern, fix_spec.user, spec.user);
  }
  fix_spec.fixes = fixable.fingerprint;
  fix_spec.auto_fix = false;
  RetryJob retry{"after the fix of " + fixable.pattern, false,
                 RetryJob::Fix{fixable.fingerprint, fixable.pattern, fix->job}};
  CommandMeta meta;
  meta.command_id = "auto-fix/" + job.job + "/" + std::to_string(job.attempt);
  meta.digest = blake2b({as_bytes(meta.command_id)});
  meta.uid = geteuid();
  meta.cause = job.position;
  meta.now = now;
  std::vector<ToJob> commands;
  commands.push_back(std::move(*fix));
  commands.push_back({job.job, std::move(retry)});
  engine_.submit(meta, std::move(commands), [id = job.job](const Result<Outcome>& outcome) {
    if (!outcome) spdlog::info("job {}: no fix: {}", id, outcome.error().message);
  });
}

/// Retries while the failure is recent: later nobody expects it any more.
void AutoFix::try_again(const std::string& job, const Error& why) {
  if (waiting_.insert(job).second) {
    spdlog::warn("job {}: its fix cannot be submitted yet: {}; trying again for some minutes", job,
                 why.message);
  }
  if (again_ && !again_->running()) again_->start(kSubmitAgainMs, [this] { consider_failed(true); });
}

}  // namespace luzia
