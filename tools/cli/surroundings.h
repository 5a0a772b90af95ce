// The inputs of a run from outside: arguments, environment, clock and streams. Tests supply their own.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace luzia {

class Source;
struct MachineToAsk;

/// Value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Properties of one stream.
struct StreamTraits {
  bool terminal = false;
  std::size_t columns = 0, rows = 0;  // 0: unknown
};

struct Surroundings {
  std::vector<std::string> arguments;  // without the program's name
  Environment environment;
  TimeUs now = 0;  // 0: use the wall clock
  FILE* out = nullptr;
  FILE* err = nullptr;
  StreamTraits in_stream, out_stream, err_stream;
  /// The process exits after the run: stores opened for reading are not closed, which saves a twelfth of the
  /// time of a lookup.
  bool ends_with_run = false;
  /// Opens what read commands read; empty: they look for the daemon or the store. For a program that reads
  /// for others, with their rights.
  std::function<Result<std::unique_ptr<Source>>()> source = {};
  /// The other machines of --machines; empty: those of the configuration. Goes with `source`.
  std::function<std::vector<MachineToAsk>()> machines = {};
};

Surroundings process_surroundings(std::vector<std::string> arguments);

TimeUs wall_clock();
/// Size of a stream of this process, and whether it is a terminal.
StreamTraits traits_of(int fd);

/// The variable in these surroundings; empty if it is not set.
std::string variable(const Surroundings& surroundings, const char* name);
/// The variable in this process; empty if it is not set.
std::string environment_variable(const char* name);
/// The path made absolute in the current folder; an empty path stays empty.
std::string absolute_path(const std::string& path);

}  // namespace luzia
