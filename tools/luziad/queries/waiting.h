// What a queued job waits for, and how long it probably will, as one row. Loop thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/core/engine.h"
#include "engine/view/view_store.h"
#include "view.fb.h"

namespace luzia {

/// nullopt: it is not queued. The estimate rests on what jobs said of themselves, else on the median time of
/// attempts of the same project and agent; without either there is none.
std::optional<view::WaitingT> waiting_row(const Engine& engine, const ViewReader& rows,
                                          const std::string& job, TimeUs now);

}  // namespace luzia
