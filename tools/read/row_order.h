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

/// The fields of --sort and --columns. In this order, in any case, a word names
/// - a field
/// - the field whose title in the table for people it is: time is elapsed_seconds
/// - the first field that it begins, up to a "_": started is started_at
/// - the fields that it ends, after a "_": tokens is input_tokens and others; of these --sort takes the first
///
/// `bad_value` (usage): there is no such field, or none is named.
Result<std::vector<SortKey>> sort_keys_of(const Command& command, const Arguments& args);
Result<std::vector<std::string>> shown_columns_of(const Command& command, const Arguments& args);

/// Which row of `keys`, a table with the fields of `order`, comes first, second, and so on. Fields whose
/// values are all numbers are compared as numbers; rows without a value come last; rows that are equal keep
/// their order.
std::vector<std::size_t> sorted_places(const Table& keys, const std::vector<SortKey>& order);

}  // namespace luzia
