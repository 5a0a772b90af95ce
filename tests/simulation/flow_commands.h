// What people of the simulation do with flows.
#pragma once

#include <string>
#include <vector>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

/// A new flow of a few steps that need one another somehow; its name is `id`.
FlowOrder random_flow(Dice& dice, const std::string& id, std::string& words);
/// Something that is said of one of these flows.
FlowOrder random_flow_order(Dice& dice, const std::vector<std::string>& flows, std::string& words);
/// Everything that keeps flows from going on is lifted.
void lift_flow(Engine& engine, const std::string& flow, TimeUs now);

}  // namespace luzia::test
