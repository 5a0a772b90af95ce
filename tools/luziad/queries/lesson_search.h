// Searching what was learned: the index is brought up to the rows before each search, so that it is never
// behind them and may be lost at any time. Any thread, one search at a time.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "adapters/search/search_index.h"
#include "projections/query.h"

namespace luzia {

class LessonSearch {
 public:
  /// `path`: of the index file, made at the first search.
  explicit LessonSearch(std::string path) : path_(std::move(path)) {}

  /// Solutions or facts (query.view) for the words of query.text, the nearest first, at most query.limit.
  /// Solutions whose time was over at `now` are left out; filter.projects and filter.tags as in
  /// projections/query.h. A solution's score is its nearness times (0.5 + trust): of equally near ones the
  /// one that helped. Errors: `no_words` (usage), `search_failed`, `views_damaged` (trouble).
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
  Position up_to_ = 0;  // of the rows that the index agrees with
};

}  // namespace luzia
