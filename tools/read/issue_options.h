// What lists of issues take, for every program's table.
#pragma once

#include "tools/read/options.h"

namespace luzia {

inline constexpr Option kIssuesOptions[] = {
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    {"--since", ValueKind::moment, "TIME", "seen since then (2h, 14:05, 2026-11-21)"},
    kUntilFilter,
    {"--open", ValueKind::flag, "", "only what is not fixed"},
    {"-n,--limit", ValueKind::number, "N", "at most that many, 0 for all (default 50)"},
    {"--cursor", ValueKind::text, "CURSOR", "go on where a page ended, as a table"},
    {"--by", ValueKind::choice, "WHAT", "count them by pattern, project, severity or day",
     "pattern|project|severity|day"},
    kAtOption,
    kCsvOption,
};

}  // namespace luzia
