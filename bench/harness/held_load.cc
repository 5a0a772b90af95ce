#include "bench/harness/held_load.h"

#include <algorithm>

#include "bench/harness/driving.h"
#include "bench/harness/progress.h"

namespace luzia::bench {
namespace {

constexpr int kBatch = 100;  // dispatches per request
constexpr int kRefill = 20;  // at least this many, to keep requests few
constexpr int kFewestLines = 20, kLinesSpread = 21;
constexpr double kMeanLines = 30;
constexpr int kMarkEvery = 10;  // lines

/// Neighbors in the queue run for different times.
int lines_of_job(std::uint64_t number) {
  return kFewestLines + static_cast<int>(number * 8 % kLinesSpread);
}

Client following(const Subject& subject) {
  Client client = subject.connect();
  wire::FollowT follow;
  follow.live = true;
  follow.from_now = true;
  if (auto sent = client.send(request_of(std::move(follow))); !sent) give_up(sent.error().message);
  return client;
}

}  // namespace

void KnownJobs::add_running(const std::string& id) {
  const std::lock_guard lock(mutex_);
  running_.push_back(id);
}

void KnownJobs::remove_running(const std::string& id) {
  const std::lock_guard lock(mutex_);
  std::erase(running_, id);
}

void KnownJobs::set_last_queued(const std::string& id) {
  const std::lock_guard lock(mutex_);
  last_queued_ = id;
}

std::string KnownJobs::running(std::size_t turn) const {
  const std::lock_guard lock(mutex_);
  return running_.empty() ? std::string() : running_[turn % running_.size()];
}

std::string KnownJobs::last_queued() const {
  const std::lock_guard lock(mutex_);
  return last_queued_;
}

HeldJobs::HeldJobs(const Subject& subject, const Setting& setting, double lifetime_s, KnownJobs& known)
    : subject_(subject),
      wanted_(setting.held),
      agent_(setting.agents + "/luzia-bench-agent"),
      lines_per_second_(kMeanLines / lifetime_s),
      known_(known),
      dispatcher_(subject.connect()),
      follower_(following(subject)) {}

void HeldJobs::fill() {
  const double start = now_seconds();
  while (running_ < wanted_.running || queued_ < wanted_.queued) {
    const int missing = wanted_.running + wanted_.queued - static_cast<int>(jobs_.size());
    if (missing > 0) dispatch(std::min(missing, kBatch));
    take_events(std::chrono::milliseconds(missing > 0 ? 0 : 50));
    show_progress("soak: filling", static_cast<double>(running_ + queued_), wanted_.running + wanted_.queued);
    if (now_seconds() - start > 600) give_up("the load could not be reached in 10 minutes");
  }
}

void HeldJobs::step() {
  take_events(std::chrono::milliseconds(50));
  const int missing = wanted_.queued - queued_;
  if (missing > 0) dispatch(std::clamp(missing, kRefill, kBatch));
}

void HeldJobs::end() {
  pause(subject_);
  take_events(std::chrono::milliseconds(50));
  std::vector<std::string> started;
  for (const auto& [id, job] : jobs_) {
    if (job.started) started.push_back(id);
  }
  cancel_all(dispatcher_, started);
}

void HeldJobs::dispatch(int count) {
  wire::DispatchT dispatch;
  for (int i = 0; i < count; ++i) {
    auto job = std::make_unique<wire::DispatchJobT>();
    job->project = "bench";
    job->task = "exec " + agent_ + " " +
                std::to_string(lines_of_job(dispatched_ + static_cast<std::uint64_t>(i))) + " " +
                std::to_string(lines_per_second_) + " " + std::to_string(kMarkEvery);
    dispatch.jobs.push_back(std::move(job));
  }
  auto reply = dispatcher_.ask(request_of(std::move(dispatch)));
  if (!reply) give_up(reply.error().message);
  const auto* accepted = (*reply)->reply.AsAccepted();
  if (accepted == nullptr || accepted->ids.size() != static_cast<std::size_t>(count)) {
    give_up("a dispatch was not accepted");
  }
  for (const std::string& id : accepted->ids) {
    jobs_[id].lines = static_cast<std::uint64_t>(lines_of_job(dispatched_++));
    ++queued_;
  }
  known_.set_last_queued(accepted->ids.back());
}

void HeldJobs::take_events(std::chrono::milliseconds patience) {
  const double until = now_seconds() + static_cast<double>(patience.count()) / 1e3;
  for (auto left = patience; left.count() >= 0;) {
    auto frame = follower_.receive(left);
    if (!frame) give_up("following the jobs: " + frame.error().message);
    if (*frame == nullptr) return;
    const auto* events = (*frame)->reply_as_Events();
    if (events != nullptr && events->events() != nullptr) {
      for (const auto* row : *events->events()) take(*schema::GetEvent(row->data()->data()));
    }
    left = std::chrono::milliseconds(static_cast<int>(std::max(0.0, (until - now_seconds()) * 1e3)));
  }
}

void HeldJobs::take(const schema::Event& event) {
  constexpr std::string_view kJobStream = "job/";
  const std::string_view stream = event.stream()->string_view();
  if (!stream.starts_with(kJobStream)) return;
  const std::string id(stream.substr(kJobStream.size()));
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return;
  if (const auto* output = event.payload_as_OutputEvent()) {
    if (const auto* appended = output->fact_as_OutputAppended()) it->second.seen += appended->lines();
    return;
  }
  const auto* job = event.payload_as_JobEvent();
  if (job == nullptr) return;
  if (job->fact_type() == schema::JobFact::AttemptStarted) {
    it->second.started = true;
    ++running_;
    --queued_;
    known_.add_running(id);
  } else if (job->fact_type() == schema::JobFact::JobEnded) {
    take_end(id);
  }
}

void HeldJobs::take_end(const std::string& id) {
  const Job job = jobs_.extract(id).mapped();
  if (!job.started) give_up("job " + id + " ended without a start");
  --running_;
  ++ended_;
  lines_written_ += job.lines;
  lines_missed_ += job.lines - std::min(job.lines, job.seen);
  known_.remove_running(id);
}

}  // namespace luzia::bench
