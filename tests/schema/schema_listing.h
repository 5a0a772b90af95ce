// Lists the properties of a schema that stored bytes depend on, so that two versions can be compared. `flatc
// --conform` 2.0.8 does not suffice. It accepts a removed last field of a table, a removed member of an enum
// or union, a changed name, and a struct that grew.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace flatbuffers {
class Parser;
}

namespace luzia::test {

/// Parses `folder`/`file` with its includes. Returns the parser's error.
Result<std::shared_ptr<flatbuffers::Parser>> load_schema(const std::string& folder, const std::string& file);

/// Everything that may never change, such as "table luzia.schema.Event field 1" -> "position: ulong = 0" and
/// "enum luzia.schema.Payload value 1" -> "JobEvent of luzia.schema.JobEvent".
std::map<std::string, std::string> list_schema(const flatbuffers::Parser& schema);

/// Entries of `released` that are missing or different in `current`, one line each. Empty if old bytes keep
/// their meaning.
std::vector<std::string> schema_faults(const std::map<std::string, std::string>& released,
                                       const std::map<std::string, std::string>& current);

}  // namespace luzia::test
