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

/// Whether the request is about that job alone, named in full; by kind of request. The table of requests says
/// which kinds an attempt may make at all (intake/request_table.h).
bool is_own(const flatbuffers::String* job, const AttemptScope& own);
bool is_own_query(const wire::Query& query, const AttemptScope& own);
bool is_own_step(const wire::ActOnFlow& request, const AttemptScope& own);

}  // namespace luzia
