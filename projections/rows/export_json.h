// The JSON files of an analytics export: which rows of which view stand in which file, in the stable shapes
// (projections/rows/json.h and its siblings). Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/base/time.h"
#include "protocol.fb.h"

namespace luzia {

/// One list in one file.
struct ExportList {
  std::string_view file;    // "jobs.json"
  std::string_view plural;  // key of the list in it
  wire::View view;
  /// One object of a row (a finished FlatBuffer, aligned to 8); nullopt: the bytes are no such row.
  std::optional<std::string> (*json)(Bytes row, TimeUs as_of);
};

/// Lists of one file stand side by side.
std::span<const ExportList> export_lists();

}  // namespace luzia
