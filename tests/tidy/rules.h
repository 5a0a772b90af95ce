// The house rules that a program can check. Each rule reads one file (or all) and returns findings that say
// what to do instead. All are pure functions and need no compiler.
#pragma once

#include <span>

#include "tests/tidy/source_file.h"

namespace luzia::tidy {

/// Include rule: schema <- engine <- projections. Adapters may include engine and projections/rows, but no
/// sibling adapter. Tools, bench and tests may include everything, and nothing may include them. RocksDB and
/// libuv are confined to the folders of log, views and loop.
Findings check_includes(const SourceFile& file);

/// No two folders depend on each other: the graph that their #include lines form has no cycle.
Findings check_cycles(std::span<const SourceFile> files);

/// Calls banned in every file, and calls banned in deciders and projections: clocks, randomness, environment,
/// logging.
Findings check_banned(const SourceFile& file);

/// The folders whose code must give the same result on every replay, relative to the root of the tree.
std::span<const std::string_view> pure_folders();

/// Checks file sizes, the opening comments of headers, and unfinished work.
Findings check_shape(const SourceFile& file);

/// Requires explicit ids in stored tables and explicit values in enums and unions; forbids structs.
Findings check_schema(const SourceFile& file);

struct Function {
  std::string name;  // as written before its parameters: `Engine::decide`, `TEST(Suite, Name)`
  std::string path;
  std::size_t line = 0;    // first line of the declaration, from 1
  std::size_t length = 0;  // lines up to and including the closing brace
};
std::vector<Function> find_functions(const SourceFile& file);

/// Finds functions longer than a screen. `ratchet` exempts old ones: each line is `path name length`, and the
/// length may only shrink. A superfluous entry is a finding too.
Findings check_lengths(std::span<const Function> functions, const SourceFile& ratchet);

}  // namespace luzia::tidy
