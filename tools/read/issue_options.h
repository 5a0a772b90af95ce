// The options of the issues command, shared by the programs' tables.
#pragma once

#include "tools/read/options.h"

namespace luzia {

inline constexpr Option kIssuesOptions[] = {
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    {"--since", ValueKind::moment, "TIME", "only issues seen since then (2h, 14:05, 2026-11-21)"},
    kUntilFilter,
    {"--open", ValueKind::flag, "", "only issues that are not fixed"},
    {"--all", ValueKind::flag, "", "also issues that others of their attempt explain, repeat or outweigh"},
    {"-n,--limit", ValueKind::number, "N", "list at most N, 0 for all (default 50)"},
    {"--cursor", ValueKind::text, "CURSOR", "continue where a page ended, as a table"},
    {"--by", ValueKind::choice, "WHAT", "count issues by pattern, project, severity or day",
     "pattern|project|severity|day"},
    kSortOption,
    kColumnsOption,
    kMachinesOption,
    kFleetOption,
    kSiteFilter,
    kAtOption,
    kCsvOption,
};

}  // namespace luzia
