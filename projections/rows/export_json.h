// The JSON files of an analytics export: which file has the rows of which view, in the stable shapes of
// projections/rows/json.h and related headers. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/base/time.h"
#include "protocol.fb.h"

namespace luzia {

struct ExportList {
  std::string_view file;    // "jobs.json"
  std::string_view plural;  // key of the list in it
  wire::View view;
  /// One row (a finished FlatBuffer, aligned to 8) as an object; nullopt: the bytes are not a row of this
  /// view.
  std::optional<std::string> (*json)(Bytes row, TimeUs as_of);
};

/// Lists of the same file are adjacent.
std::span<const ExportList> export_lists();

}  // namespace luzia
