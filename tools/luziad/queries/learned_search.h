// Searches solutions and facts. Each search first updates the index from the rows. So the index is never
// behind them, and may be lost at any time. Any thread, one search at a time.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "adapters/search/search_index.h"
#include "projections/query.h"

namespace luzia {

class LearnedSearch {
 public:
  /// `path`: the index file, created at the first search.
  explicit LearnedSearch(std::string path) : path_(std::move(path)) {}

  /// Finds solutions or facts (query.view) for the words of query.text, best first, at most query.limit.
  /// Leaves out solutions that had expired by `now`. filter.projects and filter.tags work as in
  /// projections/query.h. A solution's score is its relevance times (0.5 + trust): among equally relevant
  /// ones, those that helped come first. Errors: `no_words` (usage), `search_failed`, `views_damaged`
  /// (trouble).
  Result<RowPage> find(const ViewReader& rows, const QuerySources& sources, const wire::QueryT& query,
                       TimeUs now);

 private:
  Status bring_up(const ViewReader& rows, const EventLog& log);
  Status bring_up_once(const ViewReader& rows, const EventLog& log);
  Result<RowPage> solutions(const ViewReader& rows, const QuerySources& sources, const wire::QueryT& query,
                            TimeUs now) const;
  Result<RowPage> facts(const ViewReader& rows, const QuerySources& sources, const wire::QueryT& query) const;

  std::string path_;
  std::mutex mutex_;
  std::optional<SearchIndex> index_;
  Position up_to_ = 0;  // position of the rows that the index matches
};

}  // namespace luzia
