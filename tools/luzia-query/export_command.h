// Where exports go.
#pragma once

#include <functional>

#include "tools/read/session.h"

namespace luzia {

/// Writes to --out, whole or not at all, or to standard output; tells where.
using ExportSink = std::function<Status(std::string_view text)>;
Result<int> export_to_out(Session& session, const std::function<Status(const ExportSink&)>& write);

}  // namespace luzia
