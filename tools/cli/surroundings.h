// What a run of a program lies in: its words, environment, clock and streams. Tests give their own.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/time.h"

namespace luzia {

/// Value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// What is known of one stream.
struct StreamTraits {
  bool terminal = false;
  std::size_t columns = 0, rows = 0;  // 0: unknown
};

struct Surroundings {
  std::vector<std::string> arguments;  // without the program's name
  Environment environment;
  TimeUs now = 0;  // 0: the clock, each time it is asked
  FILE* out = nullptr;
  FILE* err = nullptr;
  StreamTraits in_stream, out_stream, err_stream;
  /// The process ends with the run: what was opened for reading is not taken apart, which is a twelfth of a
  /// look-up.
  bool ends_with_run = false;
};

/// Those of this process.
Surroundings process_surroundings(std::vector<std::string> arguments);

/// The wall clock.
TimeUs wall_clock();
/// Size and nature of a stream of this process.
StreamTraits traits_of(int fd);

/// Empty when it is not set.
std::string variable(const Surroundings& surroundings, const char* name);
/// Of this process; empty when it is not set.
std::string environment_variable(const char* name);
/// In the folder that we are in; an empty path stays empty.
std::string absolute_path(const std::string& path);

}  // namespace luzia
