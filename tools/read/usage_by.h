// Parses --by of the commands that sum up usage.
#pragma once

#include <string_view>

#include "projections/rows/usage_rows.h"

namespace luzia {

/// The group that --by names; `otherwise` if it was not given.
inline UsageBy usage_by(std::string_view name, UsageBy otherwise) {
  if (name == "tool") return UsageBy::tool;
  if (name == "agent") return UsageBy::agent;
  if (name == "model") return UsageBy::model;
  if (name == "project") return UsageBy::project;
  return name == "day" ? UsageBy::day : otherwise;
}

}  // namespace luzia
