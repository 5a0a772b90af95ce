// A bad night of twenty agents, which print what recorded runs of real ones printed: a refused login, a usage
// limit, a memory runaway, a flaky test, checks that fail, questions that nobody answers, a hang, a full
// disk, a daemon that is killed, and a clock that is set. In the morning nothing is lost, nothing was done
// twice, and each number of the digest follows from the events.
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/own_mounts.h"
#include "tests/paths.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kAnHour = 3600;

/// One of the twenty: its task, and how it should end.
struct NightTask {
  const char* task;
  const char* agent;
  Words options;
  const char* state;
  const char* reason;
};

/// What the events say of one job.
struct ToldJob {
  std::string state;
  bool never_ran = false, parked = false;
  std::set<std::uint64_t> attempts = {};
  std::optional<bool> verified = {};
  std::map<std::string, double> cost = {};  // by session: its total
  std::uint64_t tokens = 0;
  std::int64_t run_us = 0, waits_since = 0;
};

/// What they say of the whole night.
struct ToldNight {
  std::map<std::string, ToldJob> jobs;
  std::set<std::string> open_questions, parked_agents;
};

class BadNight : public DaemonTest {
 protected:
  BadNight() {
    fs::create_directories(ledger());
    fs::create_directories(home() + "/.claude");
    fs::create_directories(path("proven"));
    log_in("expired");
    write_agents();
    const std::string keys = "stdin = \"prompt\"\noutput = \"claude-stream-json\"\n";
    const auto command = [this](const char* name) {
      return "command = [\"" + project() + "/" + name + "\"]\n";
    };
    configure(
        "[retry]\nbackoff = \"0s\"\nbreaker_failures = 0\n[jobs]\nkill_grace = \"1s\"\n[agents.opus]\n" +
        command("opus") + "resume = [\"" + project() + "/opus\"]\nlimit_resumes = 2\n" + keys +
        "[agents.locked]\n" + command("opus") + keys + "[agents.tired]\n" + command("opus") + keys +
        "[agents.coder]\n" + command("coder") + "stdin = \"prompt\"\noutput = \"codex-json\"\n" +
        "[agents.gem]\n" + command("gem") + "stdin = \"prompt\"\noutput = \"gemini-stream-json\"\n" +
        "[projects.proven]\npath = \"" + path("proven") +
        "\"\nverify = [\"grep -q good result-$LUZIA_JOB_ID\"]\nverify_tries = 1\n");
  }
  ~BadNight() override {
    if (HasFailure()) std::cerr << read_text(store() + "/luziad.log");  // its disk is gone below
    if (!mounted_) return;
    for (const pid_t pid : own_processes()) ::kill(pid, SIGKILL);
    ::umount2(disk().c_str(), MNT_DETACH);
  }

  std::string ledger() const { return path("ledger"); }
  std::string disk() const { return path("disk"); }
  static std::string recorded(const std::string& run) {
    return "cat " + source_path("tests/adapters/agents/runs/" + run + ".jsonl") + "\n";
  }

  /// Each run notes itself. What it does follows from the first word of the job's task.
  void write_agents() const {
    const std::string note = "echo \"$LUZIA_JOB_ID $LUZIA_ATTEMPT\" >> " + ledger() + "/runs\n";
    const std::string task = ledger() + "/task-$LUZIA_JOB_ID";
    const auto limit_in = [](const std::string& seconds) {
      return "echo '{\"type\":\"rate_limit_event\",\"session_id\":\"s-1\",\"rate_limit_info\":{\"status\":"
             "\"rejected\",\"rateLimitType\":\"five_hour\",\"resetsAt\":'$(($(date +%s) + " +
             seconds + "))'}}'; exit 1";
    };
    script("opus",
           note + "said=$(cat); [ -e " + task + " ] || echo \"$said\" > " + task + "\n" + "case $(cat " +
               task + ") in\n" + "login*) grep -q good \"$HOME/.claude/.credentials.json\" || {\n" +
               "  echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"model\":"
               "\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged in\"}]},"
               "\"session_id\":\"s-1\",\"error\":\"authentication_failed\"}'; exit 1; } ;;\n" +
               "limit*) [ \"$LUZIA_ATTEMPT\" != 1 ] || { " + limit_in("4") + "; } ;;\n" + "tired*) " +
               limit_in("86400") + " ;;\n" +
               "late*) [ \"$LUZIA_ATTEMPT\" = 1 ] || echo good > result-$LUZIA_JOB_ID ;;\n" +
               "proved*) echo good > result-$LUZIA_JOB_ID ;;\n" + "ask*) " + kLuzia +
               " ask 'Deploy where?' --options staging,production --timeout 6s" + " --default staging > " +
               ledger() + "/answer ;;\n" + "beg*) " + kLuzia + " ask 'May I?' --timeout 4s || exit 1 ;;\n" +
               "slow*) while [ ! -e " + ledger() + "/morning ]; do sleep 0.05; done ;;\n" +
               "flaky*) [ \"$LUZIA_ATTEMPT\" != 1 ] || { echo 'FAIL src/app.test.ts'; exit 1; } ;;\n" +
               "hang*) sleep 600 ;;\n" + "eat*) { head -c 128M /dev/zero; sleep 600; } | tail ;;\n" +
               "fail*) " + recorded("claude-s3") + "exit 3 ;;\n" + "esac\n" + recorded("claude-s1"));
    script("coder", note + "cat > " + ledger() + "/last\n" + recorded("codex-s1"));
    script("gem", note + "cat > " + ledger() + "/last\n" + recorded("gemini-s1"));
  }
  void log_in(const std::string& how) const {
    const std::string file = home() + "/.claude/.credentials.json";
    write_text(file + ".new", how);
    fs::rename(file + ".new", file);
  }

  // The machine: its disk, its clock, its daemon.

  void mount_disk() {
    fs::create_directories(disk());
    mounted_ = enter_own_mounts() && ::mount("tmpfs", disk().c_str(), "tmpfs", 0, "size=1g,mode=0755") == 0;
    if (mounted_) place_store(disk() + "/store", disk() + "/jobs");
  }
  /// Full until the daemon reports it. Without mounts there is no disk of its own to fill.
  void fill_disk_for_a_while() const {
    if (!mounted_) return;
    // What is written meanwhile may not fit into the size any more.
    EXPECT_TRUE(wait_until([this] {
      struct statvfs status {};
      if (::statvfs(disk().c_str(), &status) != 0) return false;
      const std::string size = std::to_string((status.f_blocks - status.f_bfree) * status.f_frsize);
      return ::mount("tmpfs", disk().c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()) == 0;
    }));
    EXPECT_TRUE(wait_until([this] {
      return asked({"daemon", "status"}).out.find("nothing new starts while less than") != std::string::npos;
    }));
    EXPECT_EQ(::mount("tmpfs", disk().c_str(), "tmpfs", MS_REMOUNT, "size=1g"), 0);
  }
  void step_to(std::int64_t seconds) const {
    shift_clock(seconds * 1'000'000);
    if (shifted_daemon_) asked({"jobs"});
  }
  /// As from inside a job, so that no daemon without the shifted clock is started.
  Finished asked(const Words& words) const { return luzia(words, "", {"LUZIA_JOB_ID=none"}); }
  void kill_and_start() {
    kill_daemon();
    start_shifted_daemon();
  }

  std::string begin(const std::string& project, const std::string& task, const std::string& agent,
                    Words options) {
    options.insert(options.begin(), {"dispatch", project, task, "--agent", agent});
    const Finished ran = luzia(options);
    EXPECT_EQ(ran.code, 0) << task << ran.err;
    return ran.out.substr(0, ran.out.find('\n'));
  }
  void dispatch_all() {
    const NightTask tasks[] = {{"plain 1", "opus", {}, "completed", "exit_code"},
                               {"plain 2", "opus", {}, "completed", "exit_code"},
                               {"plain 3", "opus", {}, "completed", "exit_code"},
                               {"code 1", "coder", {}, "completed", "exit_code"},
                               {"code 2", "coder", {}, "completed", "exit_code"},
                               {"code 3", "gem", {}, "completed", "exit_code"},
                               {"login 1", "locked", {}, "completed", "exit_code"},
                               {"login 2", "locked", {}, "completed", "exit_code"},
                               {"limit", "opus", {}, "completed", "exit_code"},
                               {"eat", "opus", {"--memory", "64M"}, "killed", "memory_limit"},
                               {"flaky", "opus", {"--retries", "2"}, "completed", "exit_code"},
                               {"proved", "opus", {}, "completed", "exit_code"},
                               {"late", "opus", {}, "completed", "exit_code"},
                               {"never", "opus", {}, "failed", "verify_failed"},
                               {"ask", "opus", {}, "completed", "exit_code"},
                               {"beg", "opus", {}, "failed", "question_unanswered"},
                               {"hang", "opus", {"--timeout", "4s"}, "timed_out", "timed_out"},
                               {"slow", "opus", {}, "completed", "exit_code"},
                               {"fail", "opus", {}, "failed", "exit_code"},
                               {"after", "opus", {"--after", "FAIL"}, "skipped", "dependency_failed"}};
    for (NightTask task : tasks) {
      const std::string name = task.task;
      const bool is_checked = name == "proved" || name == "late" || name == "never";
      if (!task.options.empty() && task.options.back() == "FAIL") task.options.back() = ids_.at("fail");
      ids_[name] = begin(is_checked ? "proven" : "demo", name, task.agent, task.options);
      expected_[name] = std::string(task.state) + " " + task.reason;
    }
    // What a person finds undone.
    open_ = begin("demo", kLuzia + " ask 'Which colour?'", "shell", {});
    tired_ = begin("demo", "tired", "tired", {});
    tomorrow_ = begin("demo", "true", "shell", {"--not-before", "20h"});
  }
  bool has_happened(const std::string& job, const char* type) const {
    return wait_until([&] { return !events_of(job, type).empty(); });
  }

  void pass_night() {
    ASSERT_TRUE(has_happened(ids_["beg"], "QuestionAsked"));
    ASSERT_TRUE(has_happened(ids_["slow"], "AttemptStarted"));
    ASSERT_TRUE(has_happened(open_, "QuestionAsked"));
    // A reset is a moment of the wall clock. One that is read while the clock is wrong comes an hour late,
    // and on a disk that is full it cannot be printed.
    ASSERT_TRUE(has_happened(ids_["limit"], "JobParked"));
    ASSERT_TRUE(has_happened(tired_, "JobParked"));
    kill_and_start();
    step_to(kAnHour);
    fill_disk_for_a_while();
    kill_daemon();
    step_to(0);
    start_shifted_daemon();
    log_in("good");
    step_to(-kAnHour);
    ASSERT_TRUE(has_happened(ids_["login 2"], "AttemptStarted"));
    kill_and_start();
    step_to(0);
    write_text(ledger() + "/morning", "");
    for (const auto& [name, id] : ids_) ended(id);
  }

  std::map<std::string, std::string> ids_, expected_;  // by task
  std::string open_, tired_, tomorrow_;
  bool mounted_ = false;
};

void tell(const Json& event, std::int64_t now, ToldNight& night) {
  const std::string stream = event["stream"], type = event["type"];
  const Json& data = event["data"];
  if (type == "AgentParked") night.parked_agents.insert(data["agent"]);
  if (type == "AgentUnparked") night.parked_agents.erase(data["agent"]);
  if (!stream.starts_with("job/")) return;
  if (type == "QuestionAsked") night.open_questions.insert(data["question"]);
  if (type == "QuestionAnswered" || type == "QuestionTimedOut" || type == "QuestionCancelled")
    night.open_questions.erase(data["question"]);
  ToldJob& job = night.jobs[stream.substr(4)];
  if (type == "JobQueued" || type == "JobRetried" || type == "JobUnparked") job.state = "queued";
  if (type == "JobParked") job.state = "parked";
  if (type == "AttemptStarting") {
    job.attempts.insert(data["attempt"].get<std::uint64_t>());
    job.state = "working";
  }
  if (type == "JobWaiting") job.waits_since = now;
  const bool is_over = type == "JobContinued" || type == "AttemptEnded";
  if (is_over && job.waits_since != 0) job.run_us -= now - std::exchange(job.waits_since, 0);
  if (type == "AttemptEnded") {
    job.run_us += data["wall_us"].get<std::int64_t>();
    // Of the last attempt: one that fails before its checks is neither proved nor refuted.
    job.verified.reset();
    if (!data["verified"].is_null()) job.verified = data["verified"].get<bool>();
  }
  if (type == "UsageReported") {
    job.tokens += data["input_tokens"].get<std::uint64_t>() + data["output_tokens"].get<std::uint64_t>();
    if (!data["cost_usd"].is_null()) job.cost[data["session_id"]] = data["cost_usd"].get<double>();
  }
  if (type == "JobEnded") {
    job.state = data["state"];
    job.never_ran = data["attempt"] == 0;
  }
}

ToldNight told_by(const std::vector<Json>& events, std::uint64_t until) {
  ToldNight night;
  std::int64_t steps = 0;
  for (const Json& event : events) {
    if (event["position"].get<std::uint64_t>() > until) break;
    if (event["type"] == "ClockStepped") steps += event["data"]["step_us"].get<std::int64_t>();
    tell(event, event["time_us"].get<std::int64_t>() - steps, night);
  }
  return night;
}

/// The digest's numbers, counted from the events.
Json counts_of(const ToldNight& night) {
  std::map<std::string, std::size_t> counts;
  for (const char* name :
       {"completed", "proved", "refuted", "failed", "stopped", "working", "parked", "queued"})
    counts[name] = 0;
  counts["waiting"] = night.open_questions.size();
  for (const auto& [id, job] : night.jobs) {
    const bool is_live = job.state == "queued" || job.state == "parked" || job.state == "working";
    const bool is_good = job.state == "completed";
    ++counts[is_live || is_good ? job.state : job.never_ran ? "stopped" : "failed"];
    if (!is_live && job.verified) ++counts[*job.verified ? "proved" : "refuted"];
  }
  return counts;
}

std::set<std::string> ids_of(const Json& rows, const char* key) {
  std::set<std::string> ids;
  for (const Json& row : rows) ids.insert(row[key]);
  return ids;
}

void expect_same(const Json& digest, const ToldNight& night) {
  EXPECT_EQ(digest["counts"], counts_of(night));
  std::set<std::string> completed, failed, again;
  double cost = 0;
  std::uint64_t tokens = 0;
  std::int64_t run_us = 0;
  for (const auto& [id, job] : night.jobs) {
    if (job.state == "queued" || job.state == "parked" || job.state == "working") continue;
    if (job.state == "completed") completed.insert(id);
    if (job.state != "completed" && !job.never_ran) failed.insert(id);
    if (job.attempts.size() > 1) again.insert(id);
    for (const auto& [session, total] : job.cost) cost += total;
    tokens += job.tokens;
    run_us += job.run_us;
  }
  EXPECT_EQ(ids_of(digest["completed"], "id"), completed);
  EXPECT_EQ(ids_of(digest["failed"], "id"), failed);
  EXPECT_NEAR(digest["usage"]["cost_usd"].get<double>(), cost, 1e-9);
  EXPECT_EQ(digest["usage"]["tokens"], tokens);
  EXPECT_NEAR(digest["usage"]["run_s"].get<double>(), static_cast<double>(run_us) / 1e6, 0.01);
  EXPECT_EQ(ids_of(digest["parked_agents"], "agent"), night.parked_agents);
  EXPECT_EQ(digest["waiting"].size(), night.open_questions.size());
  EXPECT_FALSE(digest["is_cut"].get<bool>());
  std::set<std::string> odd;
  for (const Json& each : digest["odd"]) {
    const std::string id = each["job"];
    EXPECT_EQ(each["what"], "needed " + std::to_string(night.jobs.at(id).attempts.size()) + " attempts");
    odd.insert(id);
  }
  EXPECT_EQ(odd, again);
}

TEST_F(BadNight, MorningIsTrue) {
  mount_disk();
  step_to(0);
  start_shifted_daemon();
  dispatch_all();
  pass_night();
  // Each of the twenty has ended, all but two as it should, whatever happened at the same time.
  std::size_t right = 0;
  std::string wrong;
  for (const auto& [name, expected] : expected_) {
    const Json row = job(ids_[name]);
    const std::string found = row["state"].get<std::string>() + " " + row["reason"].get<std::string>();
    // On a disk that is full an agent cannot say a word, and fails: that is true too.
    const bool had_no_room = found == "failed exit_code" && row["output"]["bytes"] == 0;
    right += found == expected || had_no_room ? 1 : 0;
    if (found != expected) wrong += name + ": " + found + "\n" + luzia({"why", ids_[name]}).out;
  }
  EXPECT_GE(right, 18U) << wrong;
  const Json digest = luzia_json({"digest", "--since", "6h"});
  const ToldNight night = told_by(events(), digest["position"]);
  EXPECT_EQ(night.jobs.size(), ids_.size() + 3) << "nothing is lost";
  expect_same(digest, night);
  // Nothing was done twice.
  std::map<std::string, std::set<std::uint64_t>> runs;
  for (const std::string& line : lines_of(read_text(ledger() + "/runs"))) {
    const std::string id = line.substr(0, line.find(' '));
    EXPECT_TRUE(runs[id].insert(std::stoull(line.substr(id.size() + 1))).second) << line;
  }
  for (const auto& [name, id] : ids_) {
    const ToldJob& told = night.jobs.at(id);
    EXPECT_TRUE(std::ranges::includes(told.attempts, runs[id])) << name << ": a run that no event knows";
    EXPECT_TRUE(told.state != "completed" || runs[id].contains(*told.attempts.rbegin())) << name;
  }
  expect_verified();
}

}  // namespace
}  // namespace luzia
