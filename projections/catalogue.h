// Report view catalogue, key: project, 0, tool, 0, agent. The tools that agents could call: those that a
// project's settings name (no agent), and those that an agent said it has when it began a job of the project.
// When each was seen first and last is the age of what is known. What was offered once stays: that it was not
// offered the last time shows in `last_us`.
#pragma once

#include <functional>
#include <memory>

#include "projections/jobs.h"

namespace luzia {

constexpr ProjectionInfo kCatalogueView{35, 1, "catalogue", ViewKind::report};

std::unique_ptr<JobReport> make_catalogue_report(const ViewReaderSource& rows);

/// Rows of a project, or of all where it is empty, with how often they were called and failed; until `visit`
/// returns false. Any thread.
void visit_catalogue(const ViewReader& rows, std::string_view project,
                     const std::function<bool(view::CatalogueToolT)>& visit);

/// Whether the project's settings were recorded with this tool, in these very words, at `since` or later.
bool is_catalogued(const ViewReader& rows, std::string_view project, const schema::ToolCataloguedT& tool,
                   TimeUs since);

}  // namespace luzia
