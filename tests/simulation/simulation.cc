#include "tests/simulation/simulation.h"

#include "projections/registry.h"
#include "projections/rows/row_bytes.h"

namespace luzia::test {

namespace {

Capacity some_capacity(Dice& dice) {
  Capacity capacity{static_cast<std::uint32_t>(1 + dice.below(4))};
  if (dice.one_in(3)) capacity.max_per_project = static_cast<std::uint32_t>(1 + dice.below(3));
  if (dice.one_in(3)) capacity.of_agent["claude"] = 1;
  if (dice.one_in(3)) capacity.of_tag["gpu"] = 1;
  if (dice.one_in(3)) capacity.ageing = 20 * kSecondUs;
  if (dice.one_in(3)) capacity.breaker = {2, kMinuteUs, 20 * kSecondUs, {}};
  if (dice.one_in(2)) capacity.breaker.exempt_agents = {"shell"};
  capacity.waiting_holds_slot = dice.one_in(2);
  if (dice.one_in(3)) capacity.day_budgets.of_project["alpha"] = {20 + dice.below(100), 0, 0, dice.one_in(2)};
  if (dice.one_in(4)) capacity.day_budgets.all = {100 + dice.below(200), 0, 0, dice.one_in(2)};
  return capacity;
}

}  // namespace

Simulation::Simulation(std::uint64_t seed)
    : dice_(seed),
      rules_(around_.log, around_.machine, some_capacity(dice_)),
      clients_(dice_, rules_, around_.log) {
  around_.capacity = rules_.capacity();
  around_.now = 1'000 * kSecondUs;
  start_daemon();
}

void Simulation::start_daemon() {
  daemon_.reset();
  if (dice_.one_in(10)) {
    (void)around_.views.clear();
    tell("somebody removes the views");
  }
  daemon_ = std::make_unique<DaemonLife>(around_, dice_);
  look_at_schedules();
}

void Simulation::look_at_schedules() {
  for (std::size_t i = 0; i < configured_schedules().size(); ++i) tell(daemon_->look_at_schedules());
}

std::string Simulation::run() {
  const std::uint64_t steps = 40 + dice_.below(260);
  for (std::uint64_t i = 0; i < steps && broken_.empty(); ++i) step();
  if (broken_.empty()) calm_down();
  return broken_;
}

void Simulation::step() {
  ++counts_.steps;
  tell(choose());
  check();
}

std::string Simulation::choose() {
  const std::uint64_t die = dice_.below(100);
  if (die < 16) return clients_.send(daemon_->engine(), around_.now);
  if (die < 30) return daemon_->engine().turn(around_.now), "";
  if (die < 42) return daemon_->write_group();
  if (die < 54) return daemon_->deliver_outcome();
  if (die < 62) return dispatch_or_carry_out();
  if (die < 69) return daemon_->notice_process();
  if (die < 75) return agent_acts();
  if (die < 79) return daemon_->read_output();
  if (die < 83) return daemon_->tell_end();
  if (die < 88) return fold_or_look_after();
  if (die < 92) return time_passes();
  if (die < 95) return daemon_->repeat_report();
  if (die < 96) return clock_steps();
  if (die < 98) return crash();
  if (die < 99) return group_fails();
  return dice_.one_in(2) ? reboot() : crash();
}

std::string Simulation::dispatch_or_carry_out() {
  if (dice_.one_in(4)) return daemon_->hand_over_step();
  return dice_.one_in(3) ? daemon_->look_at_schedules() : daemon_->carry_out_effect();
}

std::string Simulation::fold_or_look_after() {
  std::string told;
  const std::uint64_t die = dice_.below(12);
  if (die < 6) {
    told = daemon_->escalate();
  } else if (die == 6) {
    told = daemon_->stop_at_limit();
  } else if (die == 7) {
    told = daemon_->see_new_login();
  }
  return told.empty() ? daemon_->fold_group() : told;
}

std::string Simulation::agent_acts() {
  const auto agents = around_.machine.with_agent();
  if (agents.empty()) return "";
  VirtualAttempt& agent = *agents[dice_.below(agents.size())];
  const std::string who = agent.job + "." + std::to_string(agent.number);
  const std::uint64_t die = dice_.below(10);
  if (die == 0) {
    around_.machine.kill_runner(agent);
    return "luzia-run of " + who + " is killed";
  }
  if (die == 1 && dice_.one_in(3)) {
    around_.machine.end_at_limit(agent, around_.now);
    return who + " is killed at a limit";
  }
  if (die == 1) {
    around_.machine.end_agent(agent, std::nullopt, 9, around_.now);
    return who + " is killed";
  }
  if (agent.stopped) return "";
  if (agent.asked_to_stop && die < 6) {
    around_.machine.end_agent(agent, std::nullopt, 15, around_.now);
    return who + " ends as it was asked to";
  }
  if (die < 6) {
    agent.output_bytes += 1 + dice_.below(9);
    return who + " prints";
  }
  const int code = static_cast<int>(dice_.below(3));
  around_.machine.end_agent(agent, code, 0, around_.now);
  return who + " exits with " + std::to_string(code);
}

std::string Simulation::time_passes() {
  around_.now += static_cast<TimeUs>(dice_.below(10'000)) * kMillisecondUs;
  daemon_->engine().time_passed(around_.now);
  return "time passes to " + std::to_string(around_.now / kMillisecondUs) + " ms";
}

std::string Simulation::clock_steps() {
  const TimeUs step = (static_cast<TimeUs>(dice_.below(7'200)) - 600) * kSecondUs;
  around_.now = std::max<TimeUs>(kSecondUs, around_.now + step);
  daemon_->engine().clock_stepped(step, around_.now);
  return "the clock steps by " + std::to_string(step / kSecondUs) + " s";
}

std::string Simulation::crash() {
  ++counts_.crashes;
  // Groups handed to the disk may or may not have reached it before the crash.
  while (dice_.one_in(2) && !daemon_->write_group().empty()) continue;
  start_daemon();
  return "the daemon is killed and starts again at " + std::to_string(around_.log.tip().position);
}

std::string Simulation::reboot() {
  ++counts_.reboots;
  around_.machine.reboot();
  start_daemon();
  return "the machine is restarted";
}

std::string Simulation::group_fails() {
  const std::string words = daemon_->write_group_failing(dice_.one_in(2));
  if (words.empty()) return "";
  ++counts_.failed_groups;
  while (!daemon_->deliver_outcome().empty()) continue;
  if (!daemon_->engine().failed()) return words + ", and the engine goes on";
  if (dice_.one_in(2)) clients_.send(daemon_->engine(), around_.now);
  start_daemon();
  return words + "; the daemon starts again at " + std::to_string(around_.log.tip().position);
}

// ---------------------------------------------------------------------------------------- the calm end

void Simulation::calm_down() {
  tell("from here on nothing is lost or delayed, and every agent ends");
  constexpr int kMaxRounds = 3'000;
  for (int round = 0; round < kMaxRounds && broken_.empty(); ++round) {
    if (round % 50 == 0) clients_.lift_all(daemon_->engine(), around_.now);
    calm_step();
    check();
    const bool done = daemon_->all_durable() && rules_.check_all_ends().empty() &&
                      rules_.flows().check_ends(around_.now).empty() &&
                      rules_.schedules().check_ends(around_.now, rules_.jobs()).empty();
    if (done && daemon_->fold_group().empty()) break;
  }
  if (broken_.empty()) broken_ = rules_.check_all_ends();
  if (broken_.empty()) broken_ = rules_.flows().check_ends(around_.now);
  if (broken_.empty()) broken_ = rules_.schedules().check_ends(around_.now, rules_.jobs());
  if (broken_.empty()) broken_ = clients_.check_promises();
  if (broken_.empty() && around_.machine.agents_alive() > 0) broken_ = "an agent lives on that no job has";
  if (broken_.empty()) broken_ = check_views();
}

void Simulation::calm_step() {
  Engine& engine = daemon_->engine();
  for (VirtualAttempt* agent : around_.machine.with_agent()) {
    if (!agent->stopped) around_.machine.end_agent(*agent, 0, 0, around_.now);
  }
  engine.turn(around_.now);
  while (!daemon_->write_group().empty()) (void)rules_.check();  // before the machine does anything else
  while (!daemon_->deliver_outcome().empty()) continue;
  while (!daemon_->carry_out_effect().empty()) continue;
  while (!daemon_->hand_over_step().empty()) continue;
  look_at_schedules();
  while (!daemon_->notice_process().empty()) continue;
  while (!daemon_->read_output().empty()) continue;
  while (!daemon_->tell_end().empty()) continue;
  (void)daemon_->fold_group();
  const TimeUs due = engine.next_deadline_after(around_.now);
  if (due > around_.now) around_.now = due;
  engine.time_passed(around_.now);
}

// -------------------------------------------------------------------------------------------- rules

void Simulation::check() {
  const auto take = [this](const std::string& words) {
    if (broken_.empty()) broken_ = words;
  };
  take(rules_.check());
  take(around_.machine.broken_rule());
  take(daemon_->broken_rule());
  take(clients_.broken_rule());
  if (around_.capacity.waiting_holds_slot && around_.machine.agents_alive() > around_.capacity.max_running)
    take(std::to_string(around_.machine.agents_alive()) + " agents live at once");
  take(check_live_jobs());
  if (!broken_.empty()) tell("BROKEN: " + broken_);
}

std::string Simulation::check_live_jobs() {
  if (daemon_->engine().failed() || !daemon_->all_durable()) return {};
  if (daemon_->engine().durable() != around_.log.tip().position) return {};
  for (const auto& [id, job] : daemon_->engine().live_jobs()) {
    const auto folded = rules_.jobs().find(id);
    if (folded == rules_.jobs().end()) return "the engine has a job that the log has not: " + id;
    if (row_bytes(job) != row_bytes(folded->second)) return "the live state of " + id + " is not its fold";
  }
  for (const auto& [id, flow] : rules_.flows().flows()) {
    const Flow* live = daemon_->engine().flows().find(id);
    if (live == nullptr && flow.state == view::FlowState::active) return "the engine has lost flow " + id;
    if (live != nullptr && row_bytes(*live) != row_bytes(flow))
      return "the live state of " + id + " is not its fold";
  }
  for (const auto& [name, schedule] : rules_.schedules().schedules()) {
    const auto live = daemon_->engine().schedules().all().find(name);
    if (live == daemon_->engine().schedules().all().end()) return "the engine has lost schedule " + name;
    if (row_bytes(live->second) != row_bytes(schedule))
      return "the live state of schedule " + name + " is not its fold";
  }
  for (const auto& [id, job] : rules_.jobs()) {
    if (!is_terminal(job.state) && daemon_->engine().find_live(id) == nullptr)
      return "the engine has lost " + id;
  }
  return {};
}

std::string Simulation::check_views() {
  MemoryViewStore replayed;
  if (!catch_up(around_.log, all_projections(), replayed)) return "the log cannot be replayed";
  const auto left = around_.views.snapshot(), right = replayed.snapshot();
  if (left->cursor() != right->cursor()) return "the views are not at the end of the log";
  const auto differences = compare_rows(*left, *right);
  if (!differences.empty()) return "views differ from their replay: " + differences.front();
  return rules_.flows().check_rows(*left, around_.log);
}

Simulation::Counts& Simulation::Counts::operator+=(const Counts& other) {
  steps += other.steps;
  events += other.events;
  jobs += other.jobs;
  attempts += other.attempts;
  acknowledged += other.acknowledged;
  crashes += other.crashes;
  reboots += other.reboots;
  failed_groups += other.failed_groups;
  seldom.drains += other.seldom.drains;
  seldom.budgets_used_up += other.seldom.budgets_used_up;
  seldom.imports += other.seldom.imports;
  seldom.escalations += other.seldom.escalations;
  seldom.trials += other.seldom.trials;
  seldom.removed_flows += other.seldom.removed_flows;
  seldom.removed_jobs += other.seldom.removed_jobs;
  seldom.erased_texts += other.seldom.erased_texts;
  seldom.expired += other.seldom.expired;
  seldom.limits += other.seldom.limits;
  seldom.logins += other.seldom.logins;
  seldom.reroutes += other.seldom.reroutes;
  seldom.told_by_prompt += other.seldom.told_by_prompt;
  seldom.told_by_calls += other.seldom.told_by_calls;
  seldom.due_runs += other.seldom.due_runs;
  seldom.missed_due += other.seldom.missed_due;
  seldom.waiting_due += other.seldom.waiting_due;
  return *this;
}

Simulation::Counts Simulation::counts() const {
  Counts counts = counts_;
  counts.events = around_.log.tip().position;
  counts.jobs = rules_.jobs().size();
  counts.attempts = around_.machine.attempts().size();
  counts.acknowledged = clients_.acknowledged();
  counts.seldom = rules_.seldom();
  return counts;
}

}  // namespace luzia::test
