// A warning from the daemon about a job, given once: repetitions are recognized, even after a restart. Loop
// thread.
#pragma once

#include <string>

#include "engine/core/engine.h"

namespace luzia {

struct JobWarning {
  std::string type;            // as in WarningReported
  std::string message;         // what is wrong, on what
  std::string recommendation;  // what to do
  std::string about;           // identifies repetitions: same type, same text here, same attempt
};

void warn_job_once(Engine& engine, const std::string& job, std::uint32_t attempt, const JobWarning& warning);

}  // namespace luzia
