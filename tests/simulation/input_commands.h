// Questions and gates in the simulation: agents ask at random; people answer at random, late and twice.
#pragma once

#include <string>

#include "engine/core/engine.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

/// A command about a question or approval of `job`; `words` describes it. `serial` makes new ids unique.
JobCommand random_input_command(Dice& dice, std::size_t serial, TimeUs now, std::string& words);

/// Answers all open questions and grants all open approvals of the job.
void settle_inputs(Engine& engine, const std::string& job, TimeUs now);

}  // namespace luzia::test
