// The house rules that a program can check. Each rule reads one file (or all of them) and tells its findings;
// all are pure and need no compiler. Each finding says what to do instead.
#pragma once

#include <span>

#include "tests/tidy/source_file.h"

namespace luzia::tidy {

/// schema <- engine <- projections; adapters see engine and projections/rows, never a sibling; tools, bench
/// and tests see all and nobody sees them. RocksDB and libuv only where the log, the views and the loop live.
Findings check_includes(const SourceFile& file);

/// No two folders need each other: the graph of folders that their #include lines draw has no cycle.
Findings check_cycles(std::span<const SourceFile> files);

/// What no file may call, and what deciders and projections may not: clocks, randomness, environment,
/// logging.
Findings check_banned(const SourceFile& file);

/// The folders of what must give the same answer on every replay, from the root of the tree.
std::span<const std::string_view> pure_folders();

/// Sizes of files, opening comments of headers, unfinished work.
Findings check_shape(const SourceFile& file);

/// Explicit ids of stored tables, explicit values of enums and unions, no structs.
Findings check_schema(const SourceFile& file);

struct Function {
  std::string name;  // as written before its parameters: `Engine::decide`, `TEST(Suite, Name)`
  std::string path;
  std::size_t line = 0;    // where its declaration starts, from 1
  std::size_t length = 0;  // lines from there to its closing brace
};
std::vector<Function> find_functions(const SourceFile& file);

/// Functions longer than a screen, except those in `ratchet`: lines `path name length`, each an older sin
/// that may only shrink. An entry that is no longer needed is a finding too.
Findings check_lengths(std::span<const Function> functions, const SourceFile& ratchet);

}  // namespace luzia::tidy
