// Questions and gates of the simulation: agents ask at random, people answer at random, late and twice.
#pragma once

#include <string>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

/// One command about a request of `job`, in words too. `serial` makes the ids of new requests unique.
JobCommand random_input_command(Dice& dice, std::size_t serial, TimeUs now, std::string& words);

/// Answers and approves everything that is open of the job.
void settle_inputs(Engine& engine, const std::string& job, TimeUs now);

}  // namespace luzia::test
