// A warning of the daemon on a job, given once: what repeats it, also after a restart, is recognised. Loop
// thread.
#pragma once

#include <string>

#include "tools/luziad/base/parts.h"

namespace luzia {

struct JobWarning {
  std::string type;            // as in WarningReported
  std::string message;         // what is wrong, on what
  std::string recommendation;  // what to do
  std::string about;           // warnings of a type about the same, in one attempt, are one
};

void warn_job_once(Parts& parts, const std::string& job, std::uint32_t attempt, const JobWarning& warning);

}  // namespace luzia
