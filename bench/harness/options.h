// The command line of luzia-bench.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/harness/history.h"
#include "bench/harness/scenarios.h"
#include "engine/base/result.h"

namespace luzia::bench {

struct Options {
  bool help = false, json = false, rows = true;
  std::vector<std::string> words;  // scenario or command, then files
  Setting setting;
  HistoryShape shape;
  int amounts = 0;  // number of --events and --jobs options given
  std::string out;
};

/// `bad_option` (usage). Folders not given are derived from this program's location.
Result<Options> parse_options(int argc, char** argv);

/// "1000", "100k", "1M".
Result<std::uint64_t> parse_count(const std::string& text);

/// "512K", "256M", "1G"; at most 2^20 of a unit.
Result<std::uint64_t> parse_bytes(const std::string& text);

void print_usage(FILE* to);

}  // namespace luzia::bench
