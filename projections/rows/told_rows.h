// Messages to a job's agent: as JSON, and in words. Pure, any thread.
#pragma once

#include <string>

#include "projections/rows/json_object.h"
#include "view.fb.h"

namespace luzia {

/// "messages" and what goes with it, if its agent was told anything.
void write_told(JsonObject& object, const view::Job& job);

/// "ada", "ada on phone", "the agent of job 0kx8…".
std::string told_by(const view::ToldMessage& told);
/// "attempt 2 read it at a tool call", by which `how` it came.
std::string read_words(std::uint32_t attempt, schema::ToldHow how);

}  // namespace luzia
