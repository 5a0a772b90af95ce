// How deep foreign JSON nests, told before a tree of it is made: writing and copying such a tree takes stack
// for each level.
#pragma once

#include <cstddef>
#include <string_view>

namespace luzia {

/// Whether objects and lists lie within each other more than `levels` deep. Of what is no JSON the answer is
/// that of its brackets outside quotes. Pure, any thread.
bool nests_deeper(std::string_view json, std::size_t levels);

}  // namespace luzia
