// What can be exported, one function each. A command returns the exit code, or the error that main prints.
#pragma once

#include "tools/luzia-query/session.h"

namespace luzia {

// export_command.cc
Result<int> export_events(Session& session);
// analytics_export.cc
Result<int> export_analytics(Session& session);
// todos_export.cc
Result<int> export_todos(Session& session);
// prometheus_export.cc
Result<int> export_prometheus(Session& session);

/// Writes to --out, whole or not at all, or to standard output; tells where.
using ExportSink = std::function<Status(std::string_view text)>;
Result<int> export_to_out(Session& session, const std::function<Status(const ExportSink&)>& write);

}  // namespace luzia
