// How deep foreign JSON nests, told before a tree of it is made: writing and copying such a tree takes stack
// for each level.
#pragma once

#include <cstddef>
#include <string_view>

namespace luzia {

/// What stands behind // or between /* and */, outside quotes: no part of JSON, or passed over, for a reader
/// that does so too.
enum class JsonComments { none, skipped };

/// Whether objects and lists lie within each other more than `levels` deep. Of what is no JSON the answer is
/// that of its brackets outside quotes. Pure, any thread.
bool nests_deeper(std::string_view json, std::size_t levels, JsonComments comments = JsonComments::none);

}  // namespace luzia
