// Rows for the tests of lists over several machines.
#pragma once

#include <algorithm>
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

/// A machine that has these jobs.
class JobsOfMachine : public luzia::Source {
 public:
  explicit JobsOfMachine(std::vector<std::string> ids) : ids_(std::move(ids)) {}
  bool is_daemon() const override { return true; }
  Result<Position> end() override { return Position{0}; }
  Result<RowPage> query(const wire::QueryT& query) override {
    RowPage page = page_of({});
    for (const std::string& id : ids_) {
      const auto& named = query.filter->jobs;
      const bool takes = named.empty() || std::ranges::any_of(named, [&](const std::string& name) {
                           return id.starts_with(name);
                         });
      if (takes) page.rows.push_back(job_row(id));
    }
    if (page.rows.empty() && !query.filter->jobs.empty()) {
      return fail(ErrorKind::not_found, "no_such_job", "no job '" + query.filter->jobs.front() + "'");
    }
    return page;
  }
  Result<std::string> output_from(const std::string&, std::uint64_t) override { return std::string(); }
  Result<std::string> verify(const ProgressSink&) override { return std::string(); }
  Result<std::string> rebuild(const ProgressSink&) override { return std::string(); }
  Result<std::string> backup(const std::string&, const ProgressSink&) override { return std::string(); }

 private:
  std::vector<std::string> ids_;
};

}  // namespace luzia::test
