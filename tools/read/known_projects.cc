#include "tools/read/known_projects.h"

#include "adapters/config/known_projects.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"

namespace luzia {

Status check_projects(Invocation& invocation, const std::vector<std::string>& projects,
                      const std::function<Result<std::size_t>(const wire::QueryT&)>& count) {
  if (projects.empty()) return {};
  if (const Config* config = invocation.config_of_daemon())
    return check_known_projects(projects, config, count);
  const Config nothing_configured;
  for (const std::string& name : projects) {
    const Status known = check_known_projects({name}, &nothing_configured, count);
    if (!known && known.error().code != "unknown_project") return known;
    if (!known) {
      invocation.say(std::string(invocation.program().name) + ": no job or flow has a project '" +
                     make_harmless(name) + "' yet");
    }
  }
  return {};
}

Status check_projects(Session& session) {
  return check_projects(session.invocation(), session.options().filter.projects,
                        [&](const wire::QueryT& query) -> Result<std::size_t> {
                          Source* const source = LUZIA_TRY(session.source());
                          const auto page = LUZIA_TRY(source->query(query));
                          return page.rows.size();
                        });
}

}  // namespace luzia
