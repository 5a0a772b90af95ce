#include "tests/paths.h"

namespace luzia {
namespace {

std::string below(const std::string& folder, const std::string& path) {
  return path.empty() ? folder : folder + "/" + path;
}

}  // namespace

std::string source_path(const std::string& path) {
  return below(LUZIA_SOURCE_DIR, path);
}

std::string build_path(const std::string& path) {
  return below(LUZIA_BINARY_DIR, path);
}

}  // namespace luzia
