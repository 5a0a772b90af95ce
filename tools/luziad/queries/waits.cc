#include "tools/luziad/queries/waits.h"

#include <algorithm>

namespace luzia {

bool Waits::satisfied(const Waiting& waiting, schema::JobState state) const {
  // An ended job will not reach another state by itself, so its end also answers the wait.
  return waiting.until.contains(state) || is_terminal(state);
}

Status Waits::check(const Caller& /*caller*/, const wire::Wait& request) {
  if (request.jobs() != nullptr && request.jobs()->size() > 0) return {};
  return fail(ErrorKind::usage, "no_jobs", "no job to wait for is named", "give one or more ids");
}

Status Waits::add(const RequestId& to, const Caller& caller, const wire::Wait& request) {
  Waiting waiting;
  waiting.caller = caller;
  waiting.any = request.any();
  if (request.until() != nullptr) {
    for (const auto state : *request.until()) waiting.until.insert(static_cast<schema::JobState>(state));
  }
  std::vector<std::string> names;
  for (const auto* name : *request.jobs()) names.push_back(name->str());
  auto shared = std::make_shared<Waiting>(std::move(waiting));
  return queries_.resolve(to, names, caller,
                          [this, to, shared, timeout = request.timeout_ms()](auto ids) -> Status {
                            shared->jobs = std::move(ids);
                            return register_waiting(to, std::move(*shared), timeout);
                          });
}

Status Waits::register_waiting(const RequestId& to, Waiting waiting, std::uint64_t timeout_ms) {
  LUZIA_TRY(may_subscribe(desk_, to, waits_));
  // A job is open unless its durable state already satisfies the wait; later changes come through
  // job_changed().
  for (const std::string& id : waiting.jobs) {
    const JobState* job = desk_.engine.find_live(id);
    const bool durable = job == nullptr || job->lifecycle_position <= desk_.engine.durable();
    if (job != nullptr && !(durable && satisfied(waiting, job->state))) waiting.open.insert(id);
  }
  const bool done = waiting.any ? waiting.open.size() < waiting.jobs.size() : waiting.open.empty();
  Waiting& stored = waits_.insert_or_assign(to, std::move(waiting)).first->second;
  if (done) {
    answer(to);
  } else if (timeout_ms > 0) {
    stored.timer = std::make_unique<Timer>(loop_);
    stored.timer->start(timeout_ms, [this, to] { answer(to); });
  }
  return {};
}

void Waits::answer(const RequestId& to) {
  auto node = waits_.extract(to);
  if (node.empty()) return;
  queries_.send_jobs(to, node.mapped().caller, std::move(node.mapped().jobs));
}

bool Waits::waits_for(const std::string& job) const {
  return std::ranges::any_of(waits_, [&job](const auto& each) { return each.second.open.contains(job); });
}

void Waits::job_changed(const JobState& job) {
  std::vector<RequestId> done;
  for (auto& [to, waiting] : waits_) {
    const auto it = waiting.open.find(job.job);
    if (it == waiting.open.end() || !satisfied(waiting, job.state)) continue;
    waiting.open.erase(it);
    if (waiting.any || waiting.open.empty()) done.push_back(to);
  }
  for (const RequestId& to : done) answer(to);
}

}  // namespace luzia
