// The attempts whose end is not in the log yet, and what the owners of their phases share. Loop thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "adapters/launcher/launcher.h"
#include "adapters/output_log/issue_tally.h"
#include "engine/base/redactor.h"
#include "engine/job/job.h"
#include "tools/luziad/base/later.h"

namespace luzia {

struct LiveAttempt {
  std::uint32_t number = 0;
  std::uint32_t uid = 0;  // the job's user
  std::string job_dir;
  bool is_verified = false;                       // checks follow its agent
  std::string cgroup = {}, limits_not_held = {};  // as in AttemptLimited
  IssueTally::Matcher issues = {};                // known issues of its project; may be empty
  std::shared_ptr<const Redactor> redactor = {};  // of its secrets; null: it has none
  Claim claim;
  std::unique_ptr<ProcessWatch> runner;
  std::unique_ptr<ProcessWatch> agent;  // if it is gone, another process of its group
  bool ending = false;
  bool left_record = false;  // luzia-run is gone and left a complete exit record
  bool reported_trouble = false;
  bool inferred = false;  // the end was inferred: nobody wrote the exit line
};

struct LiveAttempts {
  std::map<std::string, LiveAttempt> by_job = {};

  /// nullptr: that attempt is not live, or its end is already being reported.
  LiveAttempt* find(const std::string& job, std::uint32_t number) {
    const auto it = by_job.find(job);
    return it != by_job.end() && it->second.number == number && !it->second.ending ? &it->second : nullptr;
  }
};

/// The end of an attempt that left no exit record.
inline schema::AttemptEndedT ended_without_record(std::uint32_t number) {
  schema::AttemptEndedT end;
  end.attempt = number;
  end.ended_us = wall_now();
  return end;
}

/// What launching, starting and ending of attempts need.
struct AttemptContext {
  uv_loop_t* loop;
  Workers& workers;
  std::string run_dir;
  std::string boot_id;
  /// Submits a daemon's command about one job.
  std::function<void(const std::string& job, JobCommand)> report;
  std::unique_ptr<Later> later;
  LiveAttempts live = {};
  /// Shared with work in progress, which may outlive the owner.
  std::shared_ptr<bool> closed = std::make_shared<bool>(false);
};

}  // namespace luzia
