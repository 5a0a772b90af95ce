// The command line of luzia-web. Pure, but for the defaults that it takes from the environment.
#pragma once

#include <string>
#include <vector>

#include "engine/device/listening.h"

namespace luzia::web {

struct Settings {
  std::string store, socket;  // absolute; one may be empty
  std::string config_file;    // absolute; empty: the default places
  WebListening listening;
  bool help = false, version = false;
};

extern const char kUsage[];

/// Errors: `bad_usage`, and as check_listening() (usage).
Result<Settings> settings_of(const std::vector<std::string>& words);

}  // namespace luzia::web
