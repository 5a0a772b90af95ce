// Detects whether the configuration files have changed since they were read. Any thread.
#pragma once

#include <string>

namespace luzia {

/// Path, inode, size and change time of each file that load_config(`explicit_file`) reads. The text differs
/// if a file was written, replaced, created or removed.
std::string config_stamp(const std::string& explicit_file);

}  // namespace luzia
