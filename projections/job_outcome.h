// The outcome of a job as reports count it: what an ended job adds to its day. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "view.fb.h"

namespace luzia {

/// Durations are in microseconds. `run_us` and `wait_us` are valid only if the job was started.
struct JobOutcome {
  std::int64_t ended_us = 0;
  std::uint32_t day = 0;  // UTC day of the end, since 1970
  std::string project, agent, model;
  schema::JobState state = schema::JobState::none;
  schema::EndReason reason = schema::EndReason::exit_code;
  std::uint32_t attempts = 0;
  bool started = false;
  std::uint64_t run_us = 0;   // of all attempts, without waits for people and pauses
  std::uint64_t wait_us = 0;  // from dispatch to the first start
  std::uint64_t human_wait_us = 0;
  view::TokensT tokens;
  double cost_usd = 0;
  std::uint64_t issues = 0, warnings = 0;  // of the last attempt
};

/// The job must have ended.
JobOutcome job_outcome(const view::JobT& row);

}  // namespace luzia
