// Report view tool_advice: whether agents use the tools that their prompts recommend (PromptBuilt), and
// whether runs that do complete more often. A run counts once, at the job's end.
#pragma once

#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kToolAdviceView{38, 1, "tool_advice", ViewKind::report};

std::unique_ptr<JobReport> make_tool_advice_report(const ViewReaderSource& rows);

/// Adds the sums to a row of the catalogue without an agent. Any thread.
void join_advice(const ViewReader& rows, view::CatalogueToolT& tool);

}  // namespace luzia
