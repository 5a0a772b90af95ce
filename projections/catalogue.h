// Report view catalogue: the tools that agents could call. Key: project, 0, tool, 0, agent. A tool is named
// by a project's settings (no agent), or by an agent that listed its tools at the start of a job of the
// project. Rows have the times when a tool was first and last seen. A tool that is no longer offered stays;
// `last_us` shows it.
#pragma once

#include <functional>
#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kCatalogueView{35, 1, "catalogue", ViewKind::report};

std::unique_ptr<JobReport> make_catalogue_report(const ViewReaderSource& rows);

/// Visits rows of a project (empty: of all) with the number of calls and failures, until `visit` returns
/// false. Any thread.
void visit_catalogue(const ViewReader& rows, std::string_view project,
                     const std::function<bool(view::CatalogueToolT)>& visit);

/// Whether the project's settings were recorded at `since` or later with this tool in exactly the same words.
bool is_catalogued(const ViewReader& rows, std::string_view project, const schema::ToolCataloguedT& tool,
                   TimeUs since);

}  // namespace luzia
