// What bare `luzia` shows above its everyday commands: what waits for a person, runs, or has failed. It
// starts no daemon, fails for no reason and waits at most kFirstLookPatience. One thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/input_rows.h"
#include "tools/cli/invocation.h"

namespace luzia {

inline constexpr std::chrono::milliseconds kFirstLookPatience{300};

/// The daemon's answers. The rows must outlive the call of first_look_text().
struct FirstLook {
  ShownQuestions questions;  // open ones
  ShownApprovals approvals;
  std::vector<ManualStep> steps;  // steps of flows that people are to do now
  std::uint64_t queued = 0, running = 0, waiting = 0, parked = 0;
  bool never_used = false;   // no job was ever dispatched
  std::uint64_t failed = 0;  // failed, timed out or lost since a day
  bool more_failed = false;  // `failed` is how many were counted; there may be more
};

/// A few lines, each ended by a line break. Without any job: what to type first. Pure.
std::string first_look_text(const FirstLook& look, const TableStyle& style);

}  // namespace luzia
