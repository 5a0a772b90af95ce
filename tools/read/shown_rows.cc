#include "tools/read/shown_rows.h"

#include <algorithm>

#include "engine/base/ids.h"
#include "projections/rows/input_rows.h"
#include "tools/read/machines_source.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

/// How much of each id names its job alone; without an answer nothing is marked.
void find_beginnings(Session& session, const std::vector<std::string>& ids, JobRows& rows) {
  wire::QueryT query = view_query(wire::View::jobs);
  query.beginnings = true;
  for (const std::string& id : ids) {
    if (is_job_id(id) && query.filter->jobs.size() < kMaxLimit) query.filter->jobs.push_back(id);
  }
  if (query.filter->jobs.empty()) return;
  auto source = session.source();
  const auto page = source ? (*source)->query(query) : tl::unexpected(source.error());
  const auto found = page ? rows_of<view::Job>(*page) : tl::unexpected(page.error());
  if (!found) return;
  for (const std::string& id : query.filter->jobs) {
    const auto beginning =
        std::ranges::find_if(*found, [&](const view::Job* row) { return id.starts_with(text(row->id())); });
    if (beginning != found->end()) rows.beginnings[id] = text((*beginning)->id()).size();
  }
}

}  // namespace

ShownRows::ShownRows(Session& session, const std::vector<std::string>& ids) : session_(session) {
  if (!session.console().is_terminal() || session.options().format != Format::table) return;
  list_ = ShownList::of_this_terminal(session.invocation().surroundings());
  const bool of_one = session.machines() == nullptr;
  if (list_ && of_one && session.console().style().colour && session.options().at.is_now()) {
    find_beginnings(session, ids, rows_);
  }
}

TableStyle ShownRows::style() {
  TableStyle style = session_.console().style();
  if (list_) style.jobs = &rows_;
  if (session_.machines() != nullptr) style.machines = &session_.machines()->machines();
  return style;
}

void ShownRows::keep() {
  if (list_ && !rows_.jobs.empty()) list_->keep(rows_.jobs, session_.invocation().now());
}

std::string job_of_row(const view::Approval& row) {
  return std::string(asker_of(row));
}

}  // namespace luzia
