// Pages of the tools that agents could call.
#include "projections/catalogue.h"
#include "projections/query_pages.h"
#include "projections/rows/row_bytes.h"

namespace luzia {

/// The cursor is the number of rows on the pages before: the catalogue is small and seldom changes.
Result<RowPage> catalogue_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto before = LUZIA_TRY(cursor_number(run.query.cursor));
  const auto* wire = run.query.filter.get();
  const bool single = wire != nullptr && wire->projects.size() == 1;
  RowPage page{wire::RowType::catalogue_tool, {}, {}, run.at};
  const std::size_t limit = page_limit(run.query, kMaxLimit);
  std::uint64_t seen = 0;
  visit_catalogue(run.rows, single ? wire->projects.front() : std::string(),
                  [&](const view::CatalogueToolT& row) {
                    if (!filter.takes_project(row.project)) return true;
                    if (!row.agent.empty() && !filter.takes_agent(row.agent)) return true;
                    if (++seen <= before) return true;
                    if (page.rows.size() == limit) {
                      page.next = std::to_string(seen - 1);
                      return false;
                    }
                    page.rows.push_back(row_bytes(row));
                    return true;
                  });
  return page;
}

}  // namespace luzia
