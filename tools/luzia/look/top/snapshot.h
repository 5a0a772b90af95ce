// What the daemon said last of all that is shown. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "projections/rows/attention.h"
#include "tools/luzia/asking.h"

namespace luzia {

/// The rows live as long as the pages.
struct TopSnapshot {
  std::vector<Page> pages = {};
  std::vector<const view::Job*> jobs =
      {};  // of which the queued ones may be the first, the ended ones the last
  std::vector<const view::ProjectTotals*> totals = {};  // how many there are; none: as many as are named
  StatusNotes notes = {};
};

/// What is shown of one job beside its row.
struct TopDetail {
  std::string job = {};               // empty: of none
  std::vector<std::string> why = {};  // a sentence each, the oldest first; not made harmless
  std::string output = {};            // the last bytes of output.log, from the beginning of a line on
};

}  // namespace luzia
