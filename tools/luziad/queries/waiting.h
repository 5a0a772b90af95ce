// Builds the row that says what a queued job waits for, and how long it probably will. Loop thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/engine.h"
#include "engine/view/view_store.h"
#include "view.fb.h"

namespace luzia {

/// nullopt: the job is not queued. The estimate uses the jobs' own estimates, else the median time of
/// attempts of the same project and agent; without either there is none. Other jobs of projects that
/// `may_see` refuses are counted and not named; an empty `may_see` allows all.
std::optional<view::WaitingT> waiting_row(const Engine& engine, const ViewReader& rows,
                                          const std::string& job, TimeUs now,
                                          const std::function<bool(std::string_view project)>& may_see);

}  // namespace luzia
