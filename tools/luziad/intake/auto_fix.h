// Fixes that run automatically. A job failed with a known issue whose pattern names a safe command, and its
// project allows automatic fixes. Then that command runs as a job, and the failed job is retried after it.
// The decider judges the fix by whether the retried attempt shows the issue again (engine/job/issue_fixes.h).
//
// Both jobs are queued by one command whose id is made of the job and its attempt. So a daemon killed at any
// point queues them once; the next one checks recent failures. Loop thread; history is read on workers.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

/// The most fixes of one issue in a job, and of all issues of a job: two issues whose fixes cause each other
/// would otherwise alternate forever. A fix is also not tried in a project where it was tried that often
/// without ever fixing the issue.
constexpr std::uint32_t kMostFixes = 2, kMostFixesOfJob = 4;

/// The first of the job's fixables worth trying; nullopt: none. Any thread.
std::optional<view::FixableT> choose_fix(const ViewReader& rows, const EventLog& log, const JobState& job,
                                         TimeUs now);

class AutoFix final : public Follower {
 public:
  AutoFix(const Threads& threads, const Store& store, const Config& config, Engine& engine, Intake& intake)
      : threads_(threads),
        store_(store),
        config_(config),
        engine_(engine),
        intake_(intake),
        again_(std::make_unique<Timer>(threads.loop)) {}

  void job_changed(const JobState& job) override;
  /// At the daemon's start: considers recently failed jobs that the last daemon may not have reached.
  void look_back() { consider_failed(false); }
  /// Tries nothing after this; the next daemon checks recent failures.
  void close() override { again_.reset(); }

 private:
  void consider(const JobState& job);
  void consider_failed(bool waiting_only);
  void submit(const JobState& job, const view::FixableT& fixable);
  void try_again(const std::string& job, const Error& why);

  Threads threads_;
  Store store_;
  const Config& config_;
  Engine& engine_;
  Intake& intake_;
  std::unique_ptr<Timer> again_;   // null once closed
  std::set<std::string> waiting_;  // jobs whose fix could not be queued yet, which was reported
};

}  // namespace luzia
