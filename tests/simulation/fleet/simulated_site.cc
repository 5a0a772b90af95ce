#include "tests/simulation/fleet/simulated_site.h"

#include "projections/live_jobs.h"

namespace luzia::test {
namespace {

Capacity three_at_once() {
  return Capacity{3};
}

/// The groups of a log up to that position.
void copy_until(const MemoryEventLog& from, Position end, MemoryEventLog& to) {
  const auto cursor = from.read_from(1);
  for (auto group = cursor->next(); group && *group && (*group)->last_position() <= end;
       group = cursor->next()) {
    PendingGroup pending((*group)->first_position());
    for (std::size_t i = 0; i < (*group)->events().size(); ++i) pending.add((*group)->event_bytes(i));
    (void)to.append(pending);
  }
}

}  // namespace

SimulatedSite::SimulatedSite(Dice& dice, std::string name, std::uint16_t number, TimeUs now, bool has_beta)
    : dice_(dice),
      name_(std::move(name)),
      has_beta_(has_beta),
      ids_(number, ""),
      around_(std::make_unique<Surroundings>()),
      number_(number) {
  around_->capacity = three_at_once();
  around_->now = now;
  rules_ = std::make_unique<LogRules>(around_->log, around_->machine, around_->capacity);
  crash();
}

SimulatedSite::SimulatedSite(const SimulatedSite& lost, Position backup)
    : dice_(lost.dice_),
      name_(lost.name_),
      has_beta_(lost.has_beta_),
      ids_(lost.ids_),
      around_(std::make_unique<Surroundings>()),
      life_(lost.life_),
      number_(lost.number_),
      orders_(lost.orders_),
      started_(lost.started_) {
  around_->capacity = lost.around_->capacity;
  around_->now = lost.around_->now + kSecondUs;
  copy_until(lost.around_->log, backup, around_->log);
  around_->machine = lost.around_->machine;
  around_->machine.reboot();
  LogRules known(around_->log, lost.around_->machine, around_->capacity);
  (void)known.check();
  around_->machine.keep_only([&known](const VirtualAttempt& attempt) {
    const auto job = known.jobs().find(attempt.job);
    return job != known.jobs().end() && attempt.number <= job->second.attempt;
  });
  for (const auto& [id, job] : known.jobs()) {
    if (lost.own_.contains(id)) own_.insert(id);
    if (lost.targets_.contains(id)) targets_.insert(id);
  }
  attempts_seen_ = around_->machine.attempts().size();
  rules_ = std::make_unique<LogRules>(around_->log, around_->machine, around_->capacity);
  (void)rules_->check();
  crash();
}

void SimulatedSite::crash() {
  ++life_;
  daemon_.reset();
  daemon_ = std::make_unique<DaemonLife>(*around_, dice_);
}

void SimulatedSite::reboot() {
  around_->machine.reboot();
  crash();
}

void SimulatedSite::step_clock(TimeUs by) {
  around_->now += by;
  daemon_->engine().clock_stepped(by, around_->now);
}

void SimulatedSite::pass(TimeUs time) {
  around_->now += time;
  daemon_->engine().time_passed(around_->now);
}

std::string SimulatedSite::step() {
  const std::uint64_t die = dice_.below(100);
  if (die < 18) return daemon_->engine().turn(around_->now), "";
  if (die < 36) return daemon_->write_group();
  if (die < 54) return daemon_->deliver_outcome();
  if (die < 66) return daemon_->carry_out_effect();
  if (die < 76) return daemon_->notice_process();
  if (die < 82) return agent_acts();
  if (die < 90) return daemon_->tell_end();
  if (die < 97) return daemon_->fold_group();
  return daemon_->repeat_report();
}

std::string SimulatedSite::agent_acts() {
  const auto agents = around_->machine.with_agent();
  if (agents.empty()) return "";
  VirtualAttempt& agent = *agents[dice_.below(agents.size())];
  if (agent.asked_to_stop) {
    around_->machine.end_agent(agent, std::nullopt, 15, around_->now);
    return agent.job + " ends as it was asked to";
  }
  if (!dice_.one_in(3)) return "";
  around_->machine.end_agent(agent, 0, 0, around_->now);
  return agent.job + " is done";
}

void SimulatedSite::calm_step() {
  for (VirtualAttempt* agent : around_->machine.with_agent())
    around_->machine.end_agent(*agent, 0, 0, around_->now);
  daemon_->engine().turn(around_->now);
  while (!daemon_->write_group().empty()) (void)rules_->check();
  while (!daemon_->deliver_outcome().empty()) continue;
  while (!daemon_->carry_out_effect().empty()) continue;
  while (!daemon_->notice_process().empty()) continue;
  while (!daemon_->tell_end().empty()) continue;
  while (!daemon_->fold_group().empty()) continue;
}

// ------------------------------------------------------------------------------------------ commands

QueueJob SimulatedSite::queue_job(const std::string& id, const std::string& project) const {
  QueueJob job;
  job.job = id;
  job.spec.project = project;
  job.spec.agent = "shell";
  job.spec.kill_grace_ms = 5'000;
  job.prompt = Blob{0, std::string(16, 's'), "do " + id};
  return job;
}

std::string SimulatedSite::queue(bool targeted) {
  const std::string id = ids_.next(around_->now);
  own_.insert(id);
  if (targeted) targets_.insert(id);
  CommandMeta meta;
  meta.now = around_->now;
  meta.actor = schema::ActorKind::person;
  daemon_->engine().submit(meta, to_one_job(id, queue_job(id, "alpha")), {});
  return "job " + id + " is dispatched on " + name_;
}

void SimulatedSite::dispatch(const wire::DispatchJobT& job, CommandMeta meta, Reply reply) {
  if (job.project == "beta" && !has_beta_) {
    return reply(fail(ErrorKind::not_found, "no_such_project", name_ + " has no project beta", ""));
  }
  const std::string id = ids_.next(around_->now);
  orders_[id] = order_id(job.order);
  QueueJob queued = queue_job(id, job.project);
  queued.order = job.order;
  meta.command_id = job.command_id;
  meta.digest = blake2b({as_bytes(meta.command_id)});
  daemon_->engine().submit(meta, to_one_job(id, std::move(queued)), std::move(reply));
}

void SimulatedSite::ask(const wire::RequestUnion& request,
                        std::function<void(Result<wire::ReplyUnion>)> answer) {
  CommandMeta meta;
  meta.now = around_->now;
  meta.actor = schema::ActorKind::person;
  Reply reply = [answer = std::move(answer)](const Result<Outcome>& outcome) {
    if (!outcome) return answer(tl::unexpected(outcome.error()));
    wire::AcceptedT accepted;
    accepted.ids = outcome->ids;
    wire::ReplyUnion done;
    done.Set(std::move(accepted));
    answer(std::move(done));
  };
  if (const auto* dispatched = request.AsDispatch())
    return dispatch(*dispatched->jobs.front(), meta, std::move(reply));
  const wire::ActOnJobsT& action = *request.AsActOnJobs();
  meta.command_id = action.command_id;
  meta.digest = blake2b({as_bytes(meta.command_id)});
  JobCommand command = CancelJob{std::nullopt, action.note};
  if (action.action == wire::JobAction::release) command = ReleaseJob{action.note, action.order};
  daemon_->engine().submit(meta, to_one_job(action.jobs.front(), std::move(command)), std::move(reply));
}

void SimulatedSite::held_jobs(std::function<void(Result<std::vector<HeldJob>>)> answer) {
  Engine& engine = daemon_->engine();
  engine.when_durable([&engine, answer = std::move(answer)](const Status& durable) {
    if (!durable) return answer(tl::unexpected(durable.error()));
    std::vector<HeldJob> held;
    for (const auto& [id, job] : engine.live_jobs()) {
      if (job.state == schema::JobState::queued && job.held && !job.order.empty())
        held.push_back({id, job.order});
    }
    answer(std::move(held));
  });
}

void SimulatedSite::project_of(const std::string& job,
                               std::function<void(Result<std::optional<std::string>>)> answer) {
  Engine& engine = daemon_->engine();
  engine.when_durable([this, &engine, job, answer = std::move(answer)](const Status& durable) {
    if (!durable) return answer(tl::unexpected(durable.error()));
    if (const JobState* live = engine.find_live(job)) return answer(std::optional(live->spec->project));
    const auto ended = find_job_state(*around_->views.snapshot(), job);
    answer(ended ? std::optional(ended->spec->project) : std::nullopt);
  });
}

void SimulatedSite::room(std::uint32_t slots, std::function<void(Result<JobRoom>)> answer) {
  Engine& engine = daemon_->engine();
  engine.when_durable([&engine, slots, answer = std::move(answer)](const Status& durable) {
    if (!durable) return answer(tl::unexpected(durable.error()));
    JobRoom room{.slots = slots};
    room.queued = static_cast<std::uint32_t>(engine.queue().queued());
    room.running = static_cast<std::uint32_t>(
        std::ranges::count_if(engine.live_jobs(), [](const auto& each) { return has_process(each.second); }));
    answer(room);
  });
}

// --------------------------------------------------------------------------------------------- rules

std::string SimulatedSite::check() {
  if (const std::string& broken = rules_->check(); !broken.empty()) return broken;
  if (!around_->machine.broken_rule().empty()) return around_->machine.broken_rule();
  if (!daemon_->broken_rule().empty()) return daemon_->broken_rule();
  if (around_->machine.attempts().size() == attempts_seen_) return "";
  attempts_seen_ = around_->machine.attempts().size();
  for (const auto& [key, attempt] : around_->machine.attempts()) {
    if (const auto order = orders_.find(key.first); order != orders_.end())
      started_[order->second].insert(key.first);
  }
  return "";
}

std::string SimulatedSite::check_end() {
  if (std::string broken = rules_->check_all_ends(); !broken.empty()) return broken;
  for (const std::string& id : own_) {
    const auto job = rules_->jobs().find(id);
    if (job == rules_->jobs().end() || targets_.contains(id)) continue;
    if (job->second.stop_requested || job->second.state == schema::JobState::killed)
      return "job " + id + " of " + name_ + " was stopped, and nobody wanted that";
  }
  return "";
}

}  // namespace luzia::test
