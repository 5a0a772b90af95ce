// A schema as a list of facts that stored bytes depend on, to compare two versions of it. `flatc
// --conform` 2.0.8 lets pass: the last field of a table removed, a member of an enum or union removed, a name
// changed, a struct that grew.
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

/// Parses `folder`/`file` with its includes. The error is the parser's.
Result<std::shared_ptr<flatbuffers::Parser>> load_schema(const std::string& folder, const std::string& file);

/// "table luzia.schema.Event field 1" -> "position: ulong = 0", "enum luzia.schema.Payload value 1" ->
/// "JobEvent of luzia.schema.JobEvent", and so on: everything that may never change.
std::map<std::string, std::string> list_schema(const flatbuffers::Parser& schema);

/// What of `released` is gone or different in `current`: one line each, empty when old bytes keep their
/// meaning.
std::vector<std::string> schema_faults(const std::map<std::string, std::string>& released,
                                       const std::map<std::string, std::string>& current);

}  // namespace luzia::test
