// The tools that projects name in their settings, recorded when they are news: [projects.NAME] tools, a
// project's .mcp.json, the servers of ~/.claude.json. Loop thread; files are read on workers.
#pragma once

#include "tools/luziad/parts.h"

namespace luzia {

class ToolCatalogue {
 public:
  explicit ToolCatalogue(Parts& parts) : parts_(parts) {}

  /// Looks at every project of the configuration, at the daemon's start and after a change. What is recorded
  /// as it is, less than a day ago, is left as it is.
  void look();

 private:
  void record(const std::string& project, std::vector<schema::ToolCataloguedT> tools);
  Parts& parts_;
};

/// "psql: a shell for the database" of [projects.NAME] tools, taken apart.
schema::ToolCataloguedT configured_tool(const std::string& words);

}  // namespace luzia
