// Finds programs by name, like a shell. One thread.
#pragma once

#include <string>

namespace luzia {

/// The path of an executable: `program` itself if it has a slash, else the first match on $PATH. Empty: not
/// found.
std::string find_program(const std::string& program);

}  // namespace luzia
