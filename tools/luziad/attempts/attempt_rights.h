// What the agent of a job may do by its attempt alone, whoever it runs as: speak for that job, read it, and
// end its own step of a flow. Never decide: an answer to its own question is a person's. Any thread.
#pragma once

#include <string>

#include "protocol.fb.h"

namespace luzia {

/// What an attempt belongs to.
struct AttemptScope {
  std::string job, project;
  std::string flow, step;  // empty: of none
};

/// Whether the request is about that job alone, named in full.
bool is_of_attempt(const wire::ClientFrame& frame, const AttemptScope& own);

}  // namespace luzia
