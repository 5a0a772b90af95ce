// The output of exports.
#pragma once

#include <functional>

#include "tools/read/session.h"

namespace luzia {

/// Calls `write` with a sink for --out (written completely or not at all) or standard output. Prints the name
/// of the file.
using ExportSink = std::function<Status(std::string_view text)>;
Result<int> export_to_out(Session& session, const std::function<Status(const ExportSink&)>& write);

}  // namespace luzia
