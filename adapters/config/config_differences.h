// Which keys two configurations differ in, by name and without their values, which may be secrets. Any
// thread.
#pragma once

#include <string>
#include <vector>

#include "adapters/config/config.h"

namespace luzia {

/// Names such as "queue.max_running", "projects.web.agent"; of an entry that only one of them has, its name
/// with what it is: "projects.new (new)", "hooks.desktop (gone)". In the order of the file. Which files were
/// read does not count.
std::vector<std::string> config_differences(const Config& before, const Config& after);

/// The first few of them in a sentence: "projects.new (new), queue.max_running and 3 more".
std::string named_differences(const std::vector<std::string>& differences);

}  // namespace luzia
