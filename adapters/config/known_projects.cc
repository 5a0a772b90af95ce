#include "adapters/config/known_projects.h"

#include "adapters/config/nearest.h"

namespace luzia {
namespace {

/// Asks about the present: a query about the past may name projects that appeared since.
Result<bool> has_rows_of(wire::View view, const std::string& project, const CountRows& count) {
  wire::QueryT query;
  query.view = view;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->projects = {project};
  query.filter->ended = true;
  query.limit = 1;
  const auto rows = count(query);
  if (rows) return *rows != 0;
  if (rows.error().code == "unknown_view") return false;
  // While views are rebuilt, they cannot answer this; the query itself then reports that.
  if (rows.error().code == "views_rebuilding") return true;
  return tl::unexpected(rows.error());
}

}  // namespace

Status check_known_projects(const std::vector<std::string>& names, const Config* config,
                            const CountRows& count) {
  if (config == nullptr) return {};
  for (const std::string& name : names) {
    bool known = config->projects.contains(name);
    for (const wire::View view : {wire::View::totals, wire::View::flows}) {
      if (known) break;
      known = LUZIA_TRY(has_rows_of(view, name, count));
    }
    if (!known) return unknown_project(name, *config);
  }
  return {};
}

tl::unexpected<Error> unknown_project(const std::string& name, const Config& config) {
  std::vector<std::string> names;
  for (const auto& [configured, settings] : config.projects) names.push_back(configured);
  const std::string near = nearest_name(name, names);
  return fail(ErrorKind::not_found, "unknown_project",
              "no project '" + name + "' is configured, and none of that name has ever had a job",
              near.empty() ? "luzia project lists them" : "did you mean " + near + "?");
}

}  // namespace luzia
