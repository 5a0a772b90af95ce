#include "tools/luziad/upkeep/login_watch.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "engine/ports/agent.h"
#include "tools/luziad/secrets/secret_values.h"

namespace luzia {
namespace {

/// Two checks in a row must see the same: a login writes its file more than once.
constexpr std::uint64_t kLookEveryMs = 3'000;
/// An agent may change its own login while it is refused. So a change during the refused attempt lets it try
/// again at most this often.
constexpr std::chrono::minutes kEarlyLoginEvery{10};

/// Inode, size and time of each file. A file that cannot be read looks like one that is not there.
std::string look_of(const std::vector<std::string>& files) {
  std::string look;
  for (const std::string& file : files) {
    struct stat info {};
    if (stat(file.c_str(), &info) == 0) {
      look +=
          fmt::format("{}:{}:{}.{} ", info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    } else {
      look += "- ";
    }
  }
  return look;
}

/// The files of the login that the job's agent uses, whether they exist or not. A program of another name may
/// be a wrapper of any agent that prints what it prints.
std::vector<std::string> login_files_of(const schema::JobSpecT& spec, const Config& config) {
  std::vector<std::string> files = secret_files(spec);  // one may be its key
  const Agent* known = agent_of(spec.agent, spec.command);
  const auto profile = config.agents.find(spec.agent);
  if (spec.home.empty() || profile == config.agents.end()) return files;
  for (const Agent& agent : known_agents()) {
    if (known != nullptr ? &agent != known : agent.profile.output != spec.output_format) continue;
    const std::string moved = moved_place(agent, profile->second, spec.uid == geteuid());
    for (std::string& file : places_of(agent, spec.home, moved).login) files.push_back(std::move(file));
  }
  return files;
}

std::string alert_of(const std::string& agent) {
  return std::string(kLoginRefused) + ":" + agent;
}

}  // namespace

LoginWatch::LoginWatch(uv_loop_t* loop, const Config& config, Engine& engine,
                       std::function<void(SystemNote)> note)
    : config_(config), engine_(engine), note_(std::move(note)), timer_(std::make_unique<Timer>(loop)) {}

void LoginWatch::begin(const std::vector<view::AlertT>& open) {
  for (const auto& [id, job] : engine_.live_jobs()) {
    if (has_process(job)) at_start_[id].reset();
  }
  const std::string prefix = alert_of("");
  for (const view::AlertT& row : open) {
    if (row.alert.starts_with(prefix)) waiting_.try_emplace(row.alert.substr(prefix.size()));
  }
  for (const auto& parked : engine_.queue().stops().agent_limits.awaiting_login()) {
    waiting_[parked.agent].attempt = attempt_of(parked);
    let_go_on(parked.agent, "the daemon was restarted, perhaps with another login");
  }
  committed(nullptr);
}

void LoginWatch::job_changed(const JobState& job) {
  if (!has_process(job)) {
    if (at_start_.contains(job.job)) ended_.push_back(job.job);
  } else if (job.state == schema::JobState::starting && !at_start_.contains(job.job)) {
    const std::vector<std::string> files = login_files_of(*job.spec, config_);
    if (!files.empty()) at_start_[job.job] = look_of(files);
  }
}

/// A group may park agents and let them go on. Almost always no agent waits, and that costs nothing.
void LoginWatch::committed(const std::shared_ptr<const Group>& /*group*/) {
  const AgentLimits& limits = engine_.queue().stops().agent_limits;
  for (const auto& parked : limits.awaiting_login()) {
    // Between two groups it may have been let go on, and refused anew.
    const auto known = waiting_.find(parked.agent);
    if (known == waiting_.end() || known->second.attempt != attempt_of(parked)) begin_waiting(parked);
  }
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const std::string agent = (it++)->first;
    if (!limits.awaits_login(agent)) end_waiting(agent);
  }
  for (const std::string& job : ended_) at_start_.erase(job);
  ended_.clear();
}

void LoginWatch::begin_waiting(const schema::AgentParkedT& parked) {
  Waiting& waiting = waiting_[parked.agent];
  waiting.attempt = attempt_of(parked);
  const JobState* job = engine_.find_live(parked.job);
  std::string help;
  if (job != nullptr) {
    help = job->spec->login_help;
    waiting.files = login_files_of(*job->spec, config_);
  }
  waiting.before = waiting.last = look_of(waiting.files);
  waiting.is_early = is_early_login(parked, waiting.last);
  schema::AlertRaisedT raised;
  raised.alert = alert_of(parked.agent);
  raised.alert_type = "LOGIN_REFUSED";
  raised.severity = schema::Severity::warning;
  raised.message = "agent " + parked.agent + " is parked: its service refuses its login";
  raised.recommendation = fmt::format("{}; its jobs then go on (at once: luzia resume --agent {})",
                                      help.empty() ? "log in" : help, parked.agent);
  note_({domain_fact(std::move(raised))});
  if (timer_) timer_->start(kLookEveryMs, [this] { look(); });
}

/// Which attempt waits for the login, in words.
std::string LoginWatch::attempt_of(const schema::AgentParkedT& parked) const {
  const JobState* job = engine_.find_live(parked.job);
  return parked.job + "." + std::to_string(job == nullptr ? 0 : job->attempt);
}

/// Whether somebody may have logged in while the attempt that is refused now was under way with the login
/// before. Nobody knows it of an attempt that an earlier daemon has started.
bool LoginWatch::is_early_login(const schema::AgentParkedT& parked, const std::string& look) {
  const auto begun = at_start_.find(parked.job);
  if (begun == at_start_.end() || begun->second == look) return false;
  const auto now = std::chrono::steady_clock::now();
  const auto [last, is_first] = early_logins_.try_emplace(parked.agent, now);
  if (!is_first && now - last->second < kEarlyLoginEvery) return false;
  last->second = now;
  return true;
}

void LoginWatch::end_waiting(const std::string& agent) {
  waiting_.erase(agent);
  schema::AlertEndedT ended;
  ended.alert = alert_of(agent);
  note_({domain_fact(std::move(ended))});
}

void LoginWatch::look() {
  for (auto& [agent, waiting] : waiting_) {
    const std::string before = std::exchange(waiting.last, look_of(waiting.files));
    if (waiting.last != before || (waiting.last == waiting.before && !waiting.is_early)) continue;
    waiting.before = waiting.last;
    waiting.is_early = false;
    let_go_on(agent, "its login may have changed");
  }
  if (timer_ && !waiting_.empty()) timer_->start(kLookEveryMs, [this] { look(); });
}

void LoginWatch::let_go_on(const std::string& agent, std::string why) {
  engine_.submit(by_daemon(wall_now()), ToQueue{"", false, std::move(why), agent},
                 [agent](const Result<Outcome>& outcome) {
                   if (!outcome) spdlog::warn("agent {}: {}", agent, outcome.error().message);
                 });
}

}  // namespace luzia
