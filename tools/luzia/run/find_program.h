// Programs by name, as a shell would find them. One thread.
#pragma once

#include <string>

namespace luzia {

/// The path of an executable: itself when it has a slash, else the first on $PATH; empty: there is none.
std::string find_program(const std::string& program);

}  // namespace luzia
