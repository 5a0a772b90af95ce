// What the daemon said last of one job that top shows alone. Any thread.
#pragma once

#include <string>
#include <vector>

namespace luzia {

/// What is shown of one job beside its row.
struct TopDetail {
  std::string job = {};               // empty: of none
  std::vector<std::string> why = {};  // a sentence each, the oldest first; not made harmless
  std::string output = {};            // the last bytes of output.log, from the beginning of a line on
};

}  // namespace luzia
