// A scratch folder for one test; removed at its end.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/scratch.h"
#include "tests/text_files.h"

namespace luzia {

namespace fs = std::filesystem;

inline std::string read_text(const std::string& path) {
  return whole_text(path);
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The standard output of a shell command.
inline std::string shell_output(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string printed;
  char bytes[4096];
  while (const std::size_t size = std::fread(bytes, 1, sizeof bytes, pipe)) printed.append(bytes, size);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return printed;
}

/// Names in a folder, sorted.
inline std::vector<std::string> names(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename());
  std::ranges::sort(found);
  return found;
}

}  // namespace luzia
