// Manual steps of flows (engine/flow/flow.h) for people and scripts. Any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/flow/flow.h"

namespace luzia {

struct ManualStep {
  std::string flow, project, step, description;
  // When its last dependency was done; without dependencies, when the flow began. Does not know when its gate
  // was opened.
  TimeUs since_us = 0;
};

/// The steps that people have to do now.
std::vector<ManualStep> shown_manual_steps(const Flow& flow);

std::vector<ManualStep> manual_steps_of(const std::vector<const view::Flow*>& flows);

/// "FLOW/STEP".
std::string name_of(const ManualStep& step);
/// "do STEP: DESCRIPTION".
std::string manual_step_text(const ManualStep& step);
/// The command that reports it as done.
std::string complete_command(const ManualStep& step);
/// Fields: flow project step description since_at since_us.
std::string manual_step_json(const ManualStep& step);

}  // namespace luzia
