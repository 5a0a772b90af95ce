// How a job came out, as far as reports count it: what it adds to its day while it has ended. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "view.fb.h"

namespace luzia {

/// Durations are microseconds. `run_us` and `wait_us` mean something only of a job that was started.
struct JobOutcome {
  std::uint32_t day = 0;  // UTC, since 1970: of the end
  std::string project, agent, model;
  schema::JobState state = schema::JobState::none;
  schema::EndReason reason = schema::EndReason::exit_code;
  std::uint32_t attempts = 0;
  bool started = false;
  std::uint64_t run_us = 0;   // of all attempts, without what they waited for people or were paused
  std::uint64_t wait_us = 0;  // queued to first start
  std::uint64_t human_wait_us = 0;
  view::TokensT tokens;
  double cost_usd = 0;
  std::uint64_t issues = 0, warnings = 0;  // of the last attempt
};

/// Of a job that has ended.
JobOutcome job_outcome(const view::JobT& row);

}  // namespace luzia
