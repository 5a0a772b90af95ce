// Reads files for comparison.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace luzia {

/// All bytes of the file; empty if it cannot be read.
inline std::string whole_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace luzia
