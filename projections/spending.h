// Core view spending: usage on the present day (UTC) of each project's jobs and of all together, and the
// state of the daily budgets. live_jobs writes it, because it knows how much a job's usage has grown. Key:
// project; empty: all together.
#pragma once

#include <vector>

#include "engine/queue/day_budgets.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kSpendingView{10, 5, "spending", ViewKind::core};

class SpendingRows {
 public:
  explicit SpendingRows(ViewReaderSource rows) : rows_(kSpendingView, std::move(rows)) {}
  void add(const std::string& project, const JobUse& before, const JobUse& after, TimeUs time);
  void note(const schema::QueueEvent& queue);
  void flush(RowBatch& batch) { rows_.flush(batch); }

 private:
  view::ProjectSpendingT& row_of(std::string_view scope);
  RowTable<view::ProjectSpending> rows_;
};

/// All rows, by project; that of all together is first. Any thread.
std::vector<view::ProjectSpendingT> spending_rows(const ViewReader& rows);

}  // namespace luzia
