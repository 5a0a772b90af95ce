#include "tools/luzia-query/known_projects.h"

#include "adapters/config/known_projects.h"

namespace luzia {

Status check_projects(Session& session) {
  const auto& projects = session.options().filter.projects;
  if (projects.empty()) return {};
  // Of a daemon that was found without it the configuration says nothing.
  const Options& options = session.options();
  if (options.config_file.empty() && options.store.empty() && !session.socket().empty()) return {};
  const auto config = load_config(options.config_file);
  return check_known_projects(projects, config ? &*config : nullptr,
                              [&](const wire::QueryT& query) -> Result<std::size_t> {
                                auto source = session.source();
                                if (!source) return tl::unexpected(source.error());
                                const auto page = (*source)->query(query);
                                if (!page) return tl::unexpected(page.error());
                                return page->rows.size();
                              });
}

}  // namespace luzia
