// --sort and --columns of lists. Fields are the columns of the list's CSV, so there is one table of them. One
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "projections/rows/table.h"
#include "tools/cli/arguments.h"

namespace luzia {

struct SortKey {
  std::string field;
  bool descending = false;
};

/// The fields of --sort and --columns. A word names a field, or what it begins with up to a "_": started is
/// started_at. `bad_value` (usage): there is no such field.
Result<std::vector<SortKey>> sort_keys_of(const Command& command, const Arguments& args);
Result<std::vector<std::string>> shown_columns_of(const Command& command, const Arguments& args);

/// Which row of `keys`, a table with the fields of `order`, comes first, second, and so on. Fields whose
/// values are all numbers are compared as numbers; rows without a value come last; rows that are equal keep
/// their order.
std::vector<std::size_t> sorted_places(const Table& keys, const std::vector<SortKey>& order);

}  // namespace luzia
