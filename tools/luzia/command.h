// The vocabulary of the command line: what a command is called, takes and explains. Parsing, help, man page
// and completion are made from the same tables, which are constants: a run builds only the invoked command's
// parser.
#pragma once

#include <span>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

class Invocation;

/// How a value is checked before the command runs.
enum class ValueKind {
  flag,
  text,
  texts,           // repeatable
  list,            // repeatable, commas separate
  number,          // 0 and above
  real,            // 0 and above
  duration,        // "90s", "10m"
  moment,          // a time or a duration ago
  moment_to_come,  // a time or a duration from now
  choice,          // one of `choices`, separated by |
  priority,        // 0..9, high, normal, low
  states,          // states of jobs, commas separate
};

/// What a shell may offer for a value.
enum class Completes { nothing, job, project, agent, file, directory };

struct Option {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which tables are read
  std::string_view names;  // "-n,--lines"; the long name is the one to ask for
  ValueKind kind;
  std::string_view value;  // word for the value in help; empty for flags
  std::string_view help;
  std::string_view choices = {};
  Completes completes = Completes::nothing;
};

struct Command {
  std::string_view name;
  std::string_view group;
  std::string_view synopsis;  // after "luzia NAME"; lines of a command with several forms end with \n
  std::string_view summary;
  std::string_view description;
  std::string_view examples;
  std::span<const Option> options;
  int least_positionals = 0;
  int most_positionals = 0;  // -1: any number
  Completes positional = Completes::nothing;
  /// The exit code, or why it could not be done.
  Result<int> (*run)(Invocation&) = nullptr;
  /// It is about what a store holds already. One that somebody has named and that is not there is a slip of
  /// the pen: told, and not created. What begins something (dispatch, flow create, pause --all) creates it.
  bool needs_store = false;
  /// The argument where none is given.
  std::string_view otherwise = {};
};

inline constexpr bool kNeedsStore = true;
/// The job that is meant where none is named.
inline constexpr std::string_view kLastJob = "@last";

/// Options of every command.
std::span<const Option> common_options();

/// All commands in the order of help. Hidden ones have no group.
std::span<const Command* const> all_commands();
const Command* find_command(std::string_view name);
/// The command that people mean by a word of other programs: ls, ps, kill, ...; null: none.
const Command* find_alias(std::string_view word);
/// The command nearest to a misspelt name, or empty.
std::string nearest_command(std::string_view name);
/// Whether it is a command of luzia-query alone, which people type here too.
bool is_query_command(std::string_view word);

/// "lines" of "-n,--lines".
std::string_view long_name(const Option& option);

}  // namespace luzia
