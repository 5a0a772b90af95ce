// Manual steps of flows (engine/flow/flow.h) as people and scripts see them. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/flow/flow.h"

namespace luzia {

struct ManualStep {
  std::string flow, project, step, description;
  // When the last of what it needs was done; of one that needs nothing, when the flow began. When its gate
  // was opened is not known.
  TimeUs since_us = 0;
};

/// Those that people are to do now.
std::vector<ManualStep> shown_manual_steps(const Flow& flow);

std::vector<ManualStep> manual_steps_of(const std::vector<const view::Flow*>& flows);

/// "FLOW/STEP".
std::string name_of(const ManualStep& step);
/// "do STEP: DESCRIPTION".
std::string manual_step_text(const ManualStep& step);
/// The command that says that it is done.
std::string complete_command(const ManualStep& step);
/// flow project step description since_at since_us.
std::string manual_step_json(const ManualStep& step);

}  // namespace luzia
