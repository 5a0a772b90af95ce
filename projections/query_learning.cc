// Pages of solutions and facts.
#include <algorithm>

#include "engine/base/joined_names.h"
#include "engine/base/lower_case.h"
#include "projections/learning.h"
#include "projections/named_rows_page.h"
#include "projections/query_pages.h"
#include "projections/rows/row_bytes.h"
#include "projections/todos.h"

namespace luzia {
namespace {

constexpr std::string_view kSolutionIdBegin = "s-", kTodoIdBegin = "t-", kFirstKindOfSolutions = "s",
                           kBehindFacts = "g";

/// A solution or fact that applies to every project matches any requested project.
bool takes_lesson(const QueryFilter& filter, std::string_view project) {
  return project.empty() || filter.takes_project(project);
}

bool same_but_case(std::string_view left, std::string_view right) {
  return lower_case(left) == lower_case(right);
}

bool has_solution_tags(const view::Solution& solution, const std::vector<std::string>& tags) {
  return std::ranges::all_of(tags, [&](const std::string& tag) {
    return solution.tags() != nullptr &&
           std::ranges::any_of(*solution.tags(), [&](const auto* own) { return own->string_view() == tag; });
  });
}

Result<RowPage> one_solution(const QueryRun& run) {
  const auto id = LUZIA_TRY(resolve_solution(run.rows, run.query.id, run.sources.may_see));
  RowPage page{wire::RowType::solution, {}, {}, run.at};
  auto solution = find_solution(run.rows, id);
  if (!solution) return page;
  join_solution_text(*solution, run.sources.log);
  page.rows.push_back(row_bytes(*solution));
  return page;
}

/// A todo in the words of a filter's states.
schema::JobState filtered_state(view::TodoState state) {
  switch (state) {
    case view::TodoState::pending:
      return schema::JobState::queued;
    case view::TodoState::in_progress:
      return schema::JobState::running;
    case view::TodoState::completed:
      return schema::JobState::completed;
  }
  return schema::JobState::none;
}

}  // namespace

void join_solution_text(Solution& solution, const EventLog& log) {
  if (solution.body) solution.text = shown_text(log, solution.position, *solution.body);
}

Result<RowPage> solutions_page(const QueryRun& run) {
  if (!run.query.id.empty()) return one_solution(run);
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto before = LUZIA_TRY(cursor_key(run.query.cursor));
  const auto tags = run.query.filter ? run.query.filter->tags : std::vector<std::string>();
  RowPage page{wire::RowType::solution, {}, {}, run.at};
  const std::size_t limit = page_limit(run.query);
  std::string last;
  std::size_t bytes = 0;
  const std::string end = before.empty() ? "t" : before;
  run.rows.scan_back(row_key(kSolutionsView, kFirstKindOfSolutions), row_key(kSolutionsView, end),
                     [&](std::string_view key, std::string_view value) {
                       const StoredRow<view::Solution> row(value);
                       if (!takes_lesson(filter, text(row->project())) ||
                           !filter.takes_time(row->created_us()) || !has_solution_tags(*row, tags)) {
                         return true;
                       }
                       if (page.rows.size() == limit || bytes > kPageBytes) {
                         page.next = to_hex(as_bytes(last));
                         return false;
                       }
                       last = key.substr(row_key(kSolutionsView, "").size());
                       Solution solution = row.native();
                       join_solution_text(solution, run.sources.log);
                       bytes += page.rows.emplace_back(row_bytes(solution)).size();
                       return true;
                     });
  return page;
}

Result<RowPage> facts_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto relations = run.query.filter ? run.query.filter->tags : std::vector<std::string>();
  const std::string& entity = run.query.id;
  return named_rows_page<view::Fact>(
      run, kFactsView, wire::RowType::fact,
      [&](const view::Fact& fact) {
        const bool of_entity = entity.empty() || same_but_case(text(fact.subject()), entity) ||
                               same_but_case(text(fact.object()), entity);
        const bool related =
            relations.empty() || std::ranges::any_of(relations, [&](const std::string& relation) {
              return same_but_case(text(fact.relation()), relation);
            });
        return of_entity && related && takes_lesson(filter, text(fact.project())) &&
               filter.takes_time(fact.stored_us());
      },
      kBehindFacts);
}

Result<RowPage> todos_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const bool tagged = run.query.filter && !run.query.filter->tags.empty();  // no todo has tags
  return named_rows_page<view::Todo>(run, kTodosView, wire::RowType::todo, [&](const view::Todo& todo) {
    const bool is_shown = !tagged && (filter.ended() || todo.state() != view::TodoState::completed);
    return is_shown && takes_lesson(filter, text(todo.project())) && filter.takes_time(todo.added_us()) &&
           filter.takes_agent(text(todo.by())) && filter.takes_job_id(text(todo.job())) &&
           filter.takes_state(filtered_state(todo.state())) && text(todo.todo()).starts_with(run.query.id);
  });
}

Result<std::string> resolve_todo(const ViewReader& rows, std::string_view name,
                                 const std::function<bool(std::string_view project)>& may_see) {
  const bool newest = name == "@last";
  const std::string prefix = full_beginning(name, kTodoIdBegin);
  std::vector<std::string> ids;
  std::string last;
  TimeUs last_added = -1;
  const auto take = [&](std::string_view, std::string_view value) {
    const StoredRow<view::Todo> row(value);
    const std::string_view project = text(row->project());
    if (!project.empty() && may_see && !may_see(project)) return true;
    // Imported ids are in no order of time.
    if (newest && row->added_us() >= last_added) {
      last_added = row->added_us();
      last = text(row->todo());
    }
    if (!newest) ids.emplace_back(text(row->todo()));
    return ids.empty() || (ids.size() <= kNamedInErrors && ids.front() != prefix);
  };
  if (!name.empty()) rows.scan(row_key(kTodosView, prefix), row_key(kTodosView, prefix + '\xff'), take);
  LUZIA_TRY(rows.status());
  if (!last.empty()) return last;
  if (ids.size() == 1 || (!ids.empty() && ids.front() == prefix)) return ids.front();
  if (ids.empty()) {
    return fail(ErrorKind::not_found, "no_such_todo", "no todo '" + std::string(name) + "'",
                "luzia todo list --all shows them");
  }
  return fail(ErrorKind::usage, "ambiguous_todo",
              "'" + std::string(name) + "' fits several todos, such as " + ids[0] + " and " + ids[1],
              "type more of the id");
}

Result<std::string> resolve_solution(const ViewReader& rows, std::string_view name,
                                     const std::function<bool(std::string_view project)>& may_see) {
  const bool newest = name == "@last";
  const std::string prefix = full_beginning(name, kSolutionIdBegin);
  std::vector<std::string> ids;
  const std::string from = std::string(kFirstKindOfSolutions).append(prefix);
  const auto take = [&](std::string_view key, std::string_view value) {
    const StoredRow<view::Solution> row(value);
    const std::string_view project = text(row->project());
    if (project.empty() || !may_see || may_see(project)) ids.emplace_back(key.substr(3));
    return newest ? ids.empty() : ids.size() <= kNamedInErrors;
  };
  if (newest) {
    rows.scan_back(row_key(kSolutionsView, from), row_key(kSolutionsView, from + '\xff'), take);
  } else if (!name.empty()) {
    rows.scan(row_key(kSolutionsView, from), row_key(kSolutionsView, from + '\xff'), take);
  }
  LUZIA_TRY(rows.status());
  // Keys ascend: the id that is the whole name comes first.
  if (ids.size() == 1 || (!ids.empty() && ids.front() == prefix)) return ids.front();
  if (ids.empty()) {
    return fail(ErrorKind::not_found, "no_such_solution", "no solution '" + std::string(name) + "'",
                "luzia solution list shows them; pruned ones are gone");
  }
  return fail(ErrorKind::usage, "ambiguous_solution",
              "'" + std::string(name) + "' fits several solutions: " + joined_names(ids),
              "type more of the id");
}

}  // namespace luzia
