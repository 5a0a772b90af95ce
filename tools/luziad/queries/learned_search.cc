#include "tools/luziad/queries/learned_search.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "projections/learning.h"
#include "projections/query_filter.h"
#include "projections/rows/harmless.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

constexpr const char* kSolutions = "solution";
constexpr const char* kFacts = "fact";
/// Hits considered before filtering by permission and request.
constexpr std::size_t kMostHits = 2000;
constexpr std::size_t kPageBytesOfSearch = 4 << 20;

std::string stream_of(const view::Fact& fact) {
  return fact_stream(text(fact.project()), text(fact.subject()), text(fact.relation()), text(fact.object()));
}

/// Output contains color sequences, whose letters and digits would stick to the words.
std::string words_in(std::string_view text) {
  return without_terminal_marks(text);
}

SearchDocument document_of(const view::Solution& row, const EventLog& log) {
  Solution solution;
  row.UnPackTo(&solution);
  join_solution_text(solution, log);
  SearchDocument document{
      solution.id, kSolutions, solution.position, words_in(solution.problem), {}, words_in(solution.text)};
  for (const std::string& tag : solution.tags) document.tags += tag + " ";
  return document;
}

SearchDocument document_of(const view::Fact& fact, const std::string& id) {
  const std::string said = fact.subject()->str() + " " + fact.relation()->str() + " " + fact.object()->str();
  return {id, kFacts, fact.position(), said, {}, words_in(text(fact.context()))};
}

bool takes_project(const QueryFilter& filter, std::string_view project) {
  return project.empty() || filter.takes_project(project);
}

bool has_tags(const Solution& solution, const std::vector<std::string>& tags) {
  return std::ranges::all_of(
      tags, [&](const auto& tag) { return std::ranges::find(solution.tags, tag) != solution.tags.end(); });
}

std::size_t limit_of(const wire::QueryT& query) {
  return query.limit == 0 ? kDefaultLimit : std::min(query.limit, kMaxLimit);
}

std::vector<std::string> tags_of(const wire::QueryT& query) {
  return query.filter ? query.filter->tags : std::vector<std::string>();
}

}  // namespace

Status LearnedSearch::bring_up_once(const ViewReader& rows, const EventLog& log) {
  if (!index_) {
    auto opened = SearchIndex::open(path_);
    if (!opened && !path_.empty()) {
      spdlog::warn("{}; searching in memory", opened.error().message);
      opened = SearchIndex::open({});
    }
    if (!opened) return tl::unexpected(opened.error());
    index_ = std::move(*opened);
  }
  auto known = LUZIA_TRY(index_->known());
  std::vector<SearchDocument> added;
  const auto is_known = [&](const std::string& id, Position revision) {
    const auto it = known.find(id);
    const bool same = it != known.end() && it->second == revision;
    if (it != known.end()) known.erase(it);
    return same;
  };
  visit_solutions(rows, [&](const view::Solution& row) {
    if (!is_known(row.id()->str(), row.position())) added.push_back(document_of(row, log));
    return true;
  });
  visit_facts(rows, [&](const view::Fact& row) {
    const std::string id = stream_of(row);
    if (!is_known(id, row.position())) added.push_back(document_of(row, id));
    return true;
  });
  LUZIA_TRY(rows.status());
  std::vector<std::string> removed;
  for (const auto& [id, revision] : known) removed.push_back(id);
  if (added.empty() && removed.empty()) return {};
  return index_->change(added, removed);
}

Status LearnedSearch::bring_up(const ViewReader& rows, const EventLog& log) {
  const Position position = rows.cursor().position;
  if (index_ && up_to_ == position) return {};
  Status done = bring_up_once(rows, log);
  if (!done && done.error().code == "search_failed") {
    // If a file failed during the search, check it again and rebuild it if it is damaged; once.
    index_.reset();
    done = bring_up_once(rows, log);
  }
  if (done) up_to_ = position;
  return done;
}

Result<RowPage> LearnedSearch::find(const ViewReader& rows, const QuerySources& sources,
                                    const wire::QueryT& query, TimeUs now) {
  const std::lock_guard lock(mutex_);
  LUZIA_TRY(bring_up(rows, sources.log));
  auto page =
      query.view == wire::View::facts ? facts(rows, sources, query) : solutions(rows, sources, query, now);
  if (!page && page.error().code == "search_failed") index_.reset();
  return page;
}

Result<RowPage> LearnedSearch::solutions(const ViewReader& rows, const QuerySources& sources,
                                         const wire::QueryT& query, TimeUs now) const {
  const auto filter = LUZIA_TRY(QueryFilter::make(rows, sources, query.filter.get()));
  const auto hits = LUZIA_TRY(index_->find(kSolutions, words_in(query.text), kMostHits));
  std::vector<Solution> found;
  for (const SearchHit& hit : hits) {
    auto solution = find_solution(rows, hit.id);
    if (!solution || is_expired(*solution, now) || !takes_project(filter, solution->project)) continue;
    if (!has_tags(*solution, tags_of(query))) continue;
    solution->score = hit.score * (0.5 + solution->confidence);
    found.push_back(std::move(*solution));
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Solution::score);
  RowPage page{wire::RowType::solution, {}, {}, rows.cursor().position};
  std::size_t bytes = 0;
  for (Solution& solution : found) {
    if (page.rows.size() == limit_of(query) || bytes > kPageBytesOfSearch) break;
    join_solution_text(solution, sources.log);
    bytes += page.rows.emplace_back(row_bytes(solution)).size();
  }
  return page;
}

Result<RowPage> LearnedSearch::facts(const ViewReader& rows, const QuerySources& sources,
                                     const wire::QueryT& query) const {
  const auto filter = LUZIA_TRY(QueryFilter::make(rows, sources, query.filter.get()));
  const auto hits = LUZIA_TRY(index_->find(kFacts, words_in(query.text), kMostHits));
  std::map<std::string, std::string> by_id;
  visit_facts(rows, [&](const view::Fact& fact) {
    if (takes_project(filter, text(fact.project()))) {
      Fact copy;
      fact.UnPackTo(&copy);
      by_id.emplace(stream_of(fact), row_bytes(copy));
    }
    return true;
  });
  RowPage page{wire::RowType::fact, {}, {}, rows.cursor().position};
  for (const SearchHit& hit : hits) {
    const auto row = by_id.find(hit.id);
    if (row != by_id.end() && page.rows.size() < limit_of(query)) page.rows.push_back(row->second);
  }
  return page;
}

}  // namespace luzia
