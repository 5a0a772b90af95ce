// Rows for the tests of lists over several machines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "projections/rows/row_page.h"
#include "tools/read/source.h"

namespace luzia::test {

inline std::string job_row(const std::string& id, schema::JobState state = schema::JobState::running,
                           TimeUs ended_us = 0) {
  view::JobT job;
  job.id = id;
  job.project = "work";
  job.state = state;
  job.ended_us = ended_us;
  return row_bytes(job);
}

inline RowPage page_of(std::vector<std::string> rows, wire::RowType type = wire::RowType::job) {
  RowPage page;
  page.type = type;
  page.rows = std::move(rows);
  page.position = 7;
  return page;
}

inline std::vector<std::string> ids_of(const RowPage& page) {
  std::vector<std::string> ids;
  const auto jobs = rows_of<view::Job>(page);
  if (!jobs) return {"damaged"};
  for (const view::Job* job : *jobs) ids.emplace_back(text(job->id()));
  return ids;
}

}  // namespace luzia::test
