// What sums of usage are grouped by.
#pragma once

#include <string_view>

#include "projections/rows/usage_rows.h"

namespace luzia {

/// The value of --by; `otherwise` where it was not given.
inline UsageBy usage_by(std::string_view name, UsageBy otherwise) {
  if (name == "tool") return UsageBy::tool;
  if (name == "agent") return UsageBy::agent;
  if (name == "model") return UsageBy::model;
  if (name == "project") return UsageBy::project;
  return name == "day" ? UsageBy::day : otherwise;
}

}  // namespace luzia
