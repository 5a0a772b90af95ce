// A command line in tables: a program is a list of commands, a command says what it is called, takes,
// explains and runs. Parser, help, man page and completion are made from these tables, which are constants: a
// run builds only the invoked command's parser. To add a command, write its table and name it in its
// program's list.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

class Invocation;
struct Program;

/// How far a long task is; a total of 0 is unknown.
using ProgressSink = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

/// How a value is checked before the command runs.
enum class ValueKind {
  flag,
  text,
  texts,           // repeatable
  list,            // repeatable, commas separate
  number,          // 0 and above
  real,            // 0 and above
  factor,          // above 0, an x may follow
  duration,        // "90s", "10m"
  moment,          // a time or a duration ago
  bound,           // the same, or a time to come
  moment_to_come,  // a time or a duration from now
  place,           // a position of the log (from 1), or a moment
  place_before,    // the same, and 0
  choice,          // one of `choices`, separated by |
  priority,        // 0..9, high, normal, low
  states,          // repeatable states of jobs, commas separate
};

/// What a shell may offer for a value.
enum class Completes { nothing, job, project, agent, hook, command, file, directory };

struct Option {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which tables are read
  std::string_view names;  // "-n,--lines"; the long name is the one to ask for
  ValueKind kind;
  std::string_view value;  // word for the value in help; empty for flags
  std::string_view help;   // empty: taken, and not shown
  std::string_view choices = {};
  Completes completes = Completes::nothing;
};

struct Command {
  std::string_view name;
  std::string_view group;
  std::string_view synopsis;  // after "PROGRAM NAME"; lines of a command with several forms end with \n
  std::string_view summary;
  std::string_view description;
  std::string_view examples;  // each begins with "luzia ", for which help puts the program's name
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
  /// What its first argument may be, separated by |, for completion.
  std::string_view words = {};
  /// Commands that its first argument chooses; each is called "NAME WORD".
  std::span<const Command> parts = {};
  /// Help on a subcommand that its run() knows by the first argument; nothing: there is none of that name.
  std::optional<std::string> (*word_help)(const Program& program, std::string_view word) = nullptr;
};

inline constexpr bool kNeedsStore = true;
/// The job that is meant where none is named.
inline constexpr std::string_view kLastJob = "@last";

/// A command, and its words beside the name.
struct Chosen {
  const Command* command;
  std::vector<std::string> words;
};

class Source;
struct SourceOptions;

struct Program {
  std::string_view name;
  std::string_view purpose;                 // one sentence, below which help lists the commands
  std::span<const std::string_view> usage;  // after the name
  std::string_view notes;                   // below the list of commands
  /// What help shows first; empty: all.
  std::span<const Command* const> everyday;
  std::span<const Command* const> commands;  // in the order of help; those without a group are hidden
  std::span<const Option> common;            // options of every command
  /// Of the man page, as roff: everything in front of the commands, and behind their common options.
  std::string_view man_head, man_tail;
  /// The command for words whose first (at `at`) names none; `bad_usage`.
  Result<Chosen> (*choose_other)(std::vector<std::string> words, std::size_t at);
  /// The command whose options are offered behind an unknown first word; null: none.
  const Command* otherwise = nullptr;
  /// Words as they are meant: null: as they are.
  std::vector<std::string> (*rewritten)(std::vector<std::string> words) = nullptr;
  /// Opens a store for reading where no daemon answers; null: a daemon is started instead. `note` gets lines
  /// for people: why an answer takes long.
  std::unique_ptr<Source> (*open_store)(const SourceOptions& place, std::function<void(std::string)> note,
                                        ProgressSink progress) = nullptr;
  /// What the program without any argument shows above its everyday commands; null: nothing. It is quick, and
  /// never fails.
  std::string (*first_look)(Invocation&) = nullptr;
};

const Command* find_command(const Program& program, std::string_view name);
/// The command nearest to a misspelt name, or empty.
std::string nearest_command(const Program& program, std::string_view name);
/// The part that the first argument among `words` names, which is taken out of them; a command without parts,
/// or without an argument, as it is. `bad_usage`: there is no such part.
Result<Chosen> narrowed(const Program& program, Chosen chosen);

/// "lines" of "-n,--lines".
std::string_view long_name(const Option& option);
/// "-n" of "-n,--lines"; empty: there is none.
std::string_view short_name(const Option& option);
/// The option of the command, or of every one, that the word is a name of, if it takes a value; null: none.
const Option* option_awaiting_value(const Program& program, const Command* command, std::string_view word);
/// The index of the word that names the command: the first that is neither an option nor an option's value.
std::size_t command_index(const Program& program, const std::vector<std::string>& words);
/// Pieces between separators, empty ones left out.
std::vector<std::string_view> pieces_of(std::string_view text, char separator);

}  // namespace luzia
