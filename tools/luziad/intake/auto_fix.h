// Fixes that run by themselves: a job that failed with a known issue whose pattern names a safe command, in a
// project that allows it, is retried after that command has run as a job of its own. The decider judges the
// fix by whether the retried attempt shows the issue again (engine/job/issue_fixes.h).
//
// Both jobs are ordered as one command with an id made of the job and its attempt, so that a daemon killed
// anywhere in between orders them once; the next one looks back over what failed lately. Loop thread; history
// is read on workers.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

/// Fixes of one issue in a job, and of all of a job: two issues whose fixes bring each other about would go
/// on for ever. Nor is a fix tried in a project where it was tried so often and the issue was never fixed.
constexpr std::uint32_t kMostFixes = 2, kMostFixesOfJob = 4;

/// The first of the job's fixables that is worth a try; nullopt: none. Any thread.
std::optional<view::FixableT> choose_fix(const ViewReader& rows, const EventLog& log, const JobState& job,
                                         TimeUs now);

class AutoFix final : public Follower {
 public:
  AutoFix(Parts& parts, Intake& intake)
      : parts_(parts), intake_(intake), queries_(parts), again_(std::make_unique<Timer>(parts.loop)) {}

  /// The job's state changed durably.
  void job_changed(const JobState& job) override;
  /// Start of the daemon: jobs that failed lately and that the last one may not have come to.
  void look_back() { consider_failed(false); }
  /// Nothing is tried again after this; the next daemon looks back.
  void close() override { again_.reset(); }

 private:
  void consider(const JobState& job);
  void consider_failed(bool waiting_only);
  void order(const JobState& job, const view::FixableT& fixable);
  void try_again(const std::string& job, const Error& why);

  Parts& parts_;
  Intake& intake_;
  Queries queries_;
  std::unique_ptr<Timer> again_;   // null once closed
  std::set<std::string> waiting_;  // jobs whose fix could not be ordered yet, and that was told
};

}  // namespace luzia
