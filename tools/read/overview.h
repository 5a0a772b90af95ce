// Asks a source for an overview. One thread.
#pragma once

#include "projections/rows/overview.h"
#include "tools/read/source.h"

namespace luzia {

/// What to do when the answer is an error: a daemon that was not restarted after an upgrade knows no
/// overview.
Error overview_error(Error error);

/// Asks for its rows, and for the pages that follow where a part is longer than one.
Result<RowPage> ask_overview_rows(Source& source, const wire::QueryT& query);
Result<Overview> ask_overview(Source& source, const wire::QueryT& query);

}  // namespace luzia
