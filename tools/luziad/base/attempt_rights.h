// The rights that an attempt's credential grants, whatever account it runs as: act for its job, read it, and
// end its own step of a flow. It never grants decisions: only a person may answer the agent's own question.
// Any thread.
#pragma once

#include <string>

#include "protocol.fb.h"

namespace luzia {

/// The job, project and step that an attempt belongs to.
struct AttemptScope {
  std::string job, project;
  std::string flow, step;  // empty: none
};

/// Whether a request concerns only that job, named in full; one function per kind of request. The request
/// table says which kinds an attempt may make at all (intake/request_table.h).
bool is_own(const flatbuffers::String* job, const AttemptScope& own);
bool is_own_query(const wire::Query& query, const AttemptScope& own);
bool is_own_step(const wire::ActOnFlow& request, const AttemptScope& own);

}  // namespace luzia
