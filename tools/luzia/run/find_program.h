// Finds programs by name, like a shell. One thread.
#pragma once

#include <string>
#include <string_view>

#include "adapters/config/config.h"

namespace luzia {

/// The path of an executable: `program` itself if it has a slash, else the first match in the folders of
/// `path`. Empty: not found.
std::string find_on_path(const std::string& program, std::string_view path);
/// On $PATH.
std::string find_program(const std::string& program);

/// Whether the agent is configured and its program found.
bool is_installed(const Config& config, std::string_view agent);

}  // namespace luzia
