#include "tools/luziad/hooks/escalations.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "engine/job/input_state.h"
#include "tools/luziad/hooks/hook_plans.h"

namespace luzia {
namespace {

OpenRequest request_of_input(const JobState& job, const view::InputRequestT& input) {
  OpenRequest request;
  request.event.on =
      input.kind == view::InputKind::question ? HookOn::question_asked : HookOn::approval_requested;
  request.event.mask = mask_of(request.event.on);
  request.event.subject = job.job;
  request.event.request = input.id;
  request.event.time = input.asked_us;
  request.project = job.spec ? job.spec->project : std::string();
  request.deadline = input.deadline_us;
  // An automatic approval then decides it.
  if (input.auto_after_us != 0 && (request.deadline == 0 || input.auto_after_us < request.deadline))
    request.deadline = input.auto_after_us;
  if (input.answer_by_us != 0 && (request.deadline == 0 || input.answer_by_us < request.deadline))
    request.deadline = input.answer_by_us;
  return request;
}

}  // namespace

void Escalations::config_changed() {
  rules_ = escalation_rules(config_);
  if (std::ranges::all_of(rules_, [](const auto& rule) { return rule.to.empty(); })) rules_.clear();
  open_.clear();
  for (const auto& [id, job] : engine_.live_jobs()) look_at(job);
  take_due();
}

void Escalations::job_changed(const JobState& job) {
  if (rules_.empty() || !timer_) return;
  std::erase_if(open_, [&job](const auto& each) {
    if (each.second.job != job.job) return false;
    const view::InputRequestT* input = find_input(job, each.first);
    return input == nullptr || !is_open(*input);
  });
  const std::size_t before = open_.size();
  look_at(job);
  if (open_.size() != before) take_due();
}

/// Includes steps whose time has passed: repeating them changes nothing.
void Escalations::look_at(const JobState& job) {
  if (rules_.empty()) return;
  for (const auto& input : job.inputs) {
    if (!is_open(*input) || open_.contains(input->id)) continue;
    auto steps = escalations(rules_, request_of_input(job, *input));
    if (!steps.empty()) open_.emplace(input->id, Request{job.job, std::move(steps)});
  }
}

void Escalations::clock_stepped(TimeUs step) {
  for (auto& [id, request] : open_) {
    for (Escalation& each : request.steps) each.at += step;
  }
}

void Escalations::close() {
  timer_.reset();
}

void Escalations::take_due() {
  if (!timer_) return;
  const TimeUs now = wall_now();
  TimeUs next = 0;
  for (auto& [id, request] : open_) {
    while (!request.steps.empty() && request.steps.front().at <= now) {
      take(request.job, id, request.steps.front().to);
      request.steps.erase(request.steps.begin());
    }
    if (request.steps.empty()) continue;
    const TimeUs at = request.steps.front().at;
    next = next == 0 ? at : std::min(next, at);
  }
  if (next == 0) return timer_->stop();
  timer_->start(static_cast<std::uint64_t>((next - now) / kMillisecondUs) + 1, [this] { take_due(); });
}

void Escalations::take(const std::string& job, const std::string& request, const std::string& to) {
  CommandMeta meta = by_daemon(wall_now());
  meta.command_id = "escalate/" + request + "/" + to;
  auto commands = to_one_job(job, RemindOfInput{request, to});
  engine_.submit(meta, std::move(commands), [job, request, to](const Result<Outcome>& outcome) {
    if (!outcome)
      return spdlog::warn("job {}: notifying {} of {}: {}", job, to, request, outcome.error().message);
    if (!outcome->repeated) spdlog::info("job {}: {} is not answered, {} is notified", job, request, to);
  });
}

}  // namespace luzia
