// The paths of the sources and of the built programs. Only one small library knows both, so ccache can share
// compiled tests between clones.
#pragma once

#include <string>

namespace luzia {

/// The absolute path of `path` in the repository: source_path("schema"). Empty `path`: the repository.
std::string source_path(const std::string& path);
/// The absolute path of `path` in the build folder: build_path("tools/luzia-run/luzia-run").
std::string build_path(const std::string& path);

}  // namespace luzia
