// The simulated people's flow commands.
#pragma once

#include <string>
#include <vector>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

/// A new flow named `id` with a few steps and random dependencies.
ToFlow random_flow(Dice& dice, const std::string& id, std::string& words);
/// A random command about one of these flows.
ToFlow random_flow_command(Dice& dice, const std::vector<std::string>& flows, std::string& words);
/// Lifts everything that keeps the flow from continuing.
void lift_flow(Engine& engine, const std::string& flow, TimeUs now);

}  // namespace luzia::test
