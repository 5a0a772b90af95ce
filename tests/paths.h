// Where the sources and the built programs lie. One small library knows both, so that the compiled tests of
// one clone serve another (ccache).
#pragma once

#include <string>

namespace luzia {

/// The absolute path of what lies at `path` in the repository: source_path("schema"). Empty: the repository
/// itself.
std::string source_path(const std::string& path);
/// The same in the build folder: build_path("tools/luzia-run/luzia-run").
std::string build_path(const std::string& path);

}  // namespace luzia
