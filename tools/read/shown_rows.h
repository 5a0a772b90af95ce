// Lists for people: rows with numbers (%1, %2, ...), and ids whose unambiguous beginning stands out. One
// thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projections/rows/table.h"
#include "tools/cli/shown_list.h"
#include "tools/read/session.h"
#include "view_flow.fb.h"

namespace luzia {

class ShownRows {
 public:
  /// `ids`: jobs and flows of the list. Asks where the beginnings of jobs end. Nothing is numbered or marked
  /// where the list goes to no terminal, and nothing marked in a view of the past. Must outlive its style().
  ShownRows(Session& session, const std::vector<std::string>& ids);
  ShownRows(const ShownRows&) = delete;
  ShownRows& operator=(const ShownRows&) = delete;

  TableStyle style();
  /// Keeps the rows that were written in this style, for %N in the next command. Call it before they are
  /// shown: no number may mean a row of an earlier list.
  void keep();

 private:
  Session& session_;
  std::optional<ShownList> list_;
  JobRows rows_;
};

/// The job, or the flow, that a row of a list is about.
inline std::string job_of_row(const view::Job& row) {
  return std::string(text(row.id()));
}
inline std::string job_of_row(const view::QueueEntry& row) {
  return std::string(text(row.job()));
}
inline std::string job_of_row(const view::Question& row) {
  return std::string(text(row.job()));
}
inline std::string job_of_row(const view::Flow& row) {
  return std::string(text(row.id()));
}
std::string job_of_row(const view::Approval& row);

template <class Row>
concept RowAboutJob = requires(const Row& row) { job_of_row(row); };

template <RowAboutJob Row>
std::vector<std::string> jobs_of_rows(const std::vector<const Row*>& rows) {
  std::vector<std::string> ids;
  for (const Row* row : rows) ids.push_back(job_of_row(*row));
  return ids;
}

}  // namespace luzia
