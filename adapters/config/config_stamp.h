// Whether the files of the configuration are still those that were read. Any thread.
#pragma once

#include <string>

namespace luzia {

/// Place, number, size and time of change of each file that load_config(`explicit_file`) reads: another text
/// when one of them was written, replaced, made or removed.
std::string config_stamp(const std::string& explicit_file);

}  // namespace luzia
