#include "tools/luzia-query/known_projects.h"

#include "adapters/config/config.h"
#include "adapters/config/nearest.h"
#include "projections/query.h"

namespace luzia {
namespace {

/// Of the present: whoever asks about the past may name what has come since.
Result<bool> has_rows_of(Source& source, wire::View view, const std::string& project) {
  wire::QueryT query;
  query.view = view;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->projects = {project};
  query.filter->ended = true;
  query.limit = 1;
  if (view == wire::View::flows) query.text = kFlowsOfAllTime;
  const auto page = source.query(query);
  if (page) return !page->rows.empty();
  if (page.error().code == "unknown_view") return false;
  // Sums that are made anew cannot tell: the question itself is answered then.
  if (page.error().code == "views_rebuilding") return true;
  return tl::unexpected(page.error());
}

Status check_project(Session& session, Source& source, const std::string& project) {
  for (const wire::View view : {wire::View::totals, wire::View::flows}) {
    const auto known = has_rows_of(source, view, project);
    if (!known) return tl::unexpected(known.error());
    if (*known) return {};
  }
  const auto config = load_config(session.options().config_file);
  if (!config || config->projects.contains(project)) return {};
  std::vector<std::string> names;
  for (const auto& [name, configured] : config->projects) names.push_back(name);
  const std::string near = nearest_name(project, names);
  return fail(ErrorKind::refused, "unknown_project",
              "no project '" + project + "' is configured, and none of that name has ever had a job",
              near.empty() ? "luzia config show tells the projects" : "did you mean " + near + "?");
}

}  // namespace

Status check_projects(Session& session) {
  const auto& projects = session.options().filter.projects;
  if (projects.empty()) return {};
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  for (const std::string& project : projects) {
    if (Status known = check_project(session, **source, project); !known) return known;
  }
  return {};
}

}  // namespace luzia
