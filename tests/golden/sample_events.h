// One event of every fact in a schema, with every field filled; generated from the schema's text alone.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace flatbuffers {
class Parser;
}

namespace luzia::test {

/// Names like "JobEvent/JobQueued" of all facts, in the order of their numbers.
std::vector<std::string> fact_names(const flatbuffers::Parser& event_schema);

/// Encoded events of positions 1..n in the order of fact_names(). The same schema gives the same bytes.
Result<std::vector<std::string>> sample_events(const std::string& schema_folder);

}  // namespace luzia::test
