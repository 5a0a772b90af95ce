// A command line as tables: a program is a list of commands, and a command has a name, options, help and a
// function. Parser, help, man page and completion are generated from these tables. They are constants, so a
// run builds only the invoked command's parser. To add a command, write its table and add it to its
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
struct Column;
struct Program;

/// Receives the progress of a long task. `total` 0: unknown.
using ProgressSink = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

/// How a value is checked before the command runs.
enum class ValueKind {
  flag,
  text,
  texts,           // repeatable
  list,            // repeatable, comma-separated
  number,          // 0 and above
  real,            // 0 and above
  factor,          // above 0, optionally followed by x
  duration,        // "90s", "10m"
  bytes,           // "512M", "4G"
  percent,         // "200%"
  moment,          // a time or a duration ago
  bound,           // as moment, or a future time
  moment_to_come,  // a time or a duration from now
  place,           // a position of the log (from 1), or a moment
  place_before,    // as place, or 0
  choice,          // one of `choices`, separated by |
  priority,        // 0..9, high, normal, low
  states,          // states of jobs; repeatable, comma-separated
  shown_states,    // the same, and proved and refuted, as lists show them
  flow_states,     // active, completed, failed, cancelled; repeatable, comma-separated
  todo_states,     // pending, in_progress, completed; repeatable, comma-separated
};

/// What shell completion offers for a value.
enum class Completes {
  nothing,
  job,
  project,
  agent,
  hook,
  schedule,
  machine,
  command,
  file,
  directory,
  field
};

struct Option {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which tables are read
  std::string_view names;  // "-n,--lines"; Arguments looks options up by the long name
  ValueKind kind;
  std::string_view value;  // placeholder of the value in help; empty for flags
  std::string_view help;
  std::string_view choices = {};
  Completes completes = Completes::nothing;
};

/// How many words a command takes, and what completion offers for them.
struct Positionals {
  int least = 0, most = 0;  // most -1: any number
  Completes completes = Completes::nothing;
};

struct Command {
  std::string_view name;
  std::string_view group;
  std::string_view synopsis;  // after "PROGRAM NAME"; several forms are separated by \n
  std::string_view summary;
  std::string_view description;
  std::string_view examples;  // each begins with "luzia ", which help replaces by the program's name
  std::span<const Option> options;
  Positionals positionals = {};
  /// Returns the exit code, or why the command could not be carried out.
  Result<int> (*run)(Invocation&) = nullptr;
  /// True: the command works on what a store already holds. If the store that the user named does not exist,
  /// that is a typo: the command reports it and creates none. Commands that begin something (dispatch, flow
  /// create, pause --all) create the store.
  bool needs_store = false;
  /// Why the filters that its options lack do not apply: completes "COMMAND cannot filter by --OPTION: ". A
  /// hint may follow after \n. Empty: a filter is like any other unknown option.
  std::string_view unfiltered = {};
  /// Possible first arguments, separated by |, for completion.
  std::string_view words = {};
  /// The default argument when none is given.
  std::string_view otherwise = {};
  /// The columns of its --csv, for --sort and --columns; null: it has neither. `by`: as in --by, if the
  /// columns depend on it.
  std::vector<Column> (*fields)(std::string_view by) = nullptr;
  /// Subcommands, chosen by the first argument; each is named "NAME WORD".
  std::span<const Command> parts = {};
  /// Help on a subcommand that its run() knows by the first argument; nothing: there is none of that name.
  std::optional<std::string> (*word_help)(const Program& program, std::string_view word) = nullptr;
};

inline constexpr bool kNeedsStore = true;
/// The default job or flow when none is given.
inline constexpr std::string_view kLastJob = "@last";

/// A command and its words, without its name.
struct Chosen {
  const Command* command;
  std::vector<std::string> words;
};

class Source;
struct SourceOptions;

struct OnlyHere {
  std::string_view why = {}, hint = {};
};

struct Program {
  std::string_view name;
  std::string_view purpose;                 // one sentence; help lists the commands below it
  std::span<const std::string_view> usage;  // after the name
  std::string_view notes;                   // below the list of commands
  /// The commands that help shows without --all; empty: all.
  std::span<const Command* const> everyday;
  std::span<const Command* const> commands;  // in the order of help; those without a group are hidden
  std::span<const Option> common;            // options of every command
  /// The man page as roff: the text before the commands, and the text after the common options.
  std::string_view man_head, man_tail;
  /// Chooses the command if words[at] is not the name of one. Error: `bad_usage`.
  Result<Chosen> (*choose_other)(std::vector<std::string> words, std::size_t at);
  /// The command whose options completion offers after an unknown first word; null: none.
  const Command* otherwise = nullptr;
  /// Rewrites the words before they are parsed, for shorthands; null: no rewriting.
  std::vector<std::string> (*rewritten)(std::vector<std::string> words) = nullptr;
  /// Opens a store for reading when no daemon answers; null: start a daemon instead. `note` receives lines
  /// for people that explain why an answer takes long.
  std::unique_ptr<Source> (*open_store)(const SourceOptions& place, std::function<void(std::string)> note,
                                        ProgressSink progress) = nullptr;
  /// What the program without any argument shows in place of its help; null: the help. It is quick, and never
  /// fails.
  std::string (*first_look)(Invocation&) = nullptr;
  /// Why the command cannot be about another machine (--on), and what to do instead; null or empty: it can.
  OnlyHere (*only_here)(const Command& command) = nullptr;
};

const Command* find_command(const Program& program, std::string_view name);
/// The command nearest to a misspelt name, or empty.
std::string nearest_command(const Program& program, std::string_view name);
/// `bad_usage`: the word names no command; the hint names the nearest one.
tl::unexpected<Error> unknown_command(const Program& program, const std::string& word);
/// Replaces a command by the subcommand that the first argument in `words` names, and removes that argument.
/// A command without subcommands, or without an argument, stays. `bad_usage`: unknown subcommand.
Result<Chosen> narrowed(const Program& program, Chosen chosen);

/// "lines" of "-n,--lines".
std::string_view long_name(const Option& option);
/// "-n" of "-n,--lines"; empty: the option has no short name.
std::string_view short_name(const Option& option);
/// The option named `word` that takes a value: one of the command's or a common one; null: none. `command`
/// may be null.
const Option* option_awaiting_value(const Program& program, const Command* command, std::string_view word);
/// The index of the command's name: the first word that is neither an option nor an option's value.
std::size_t command_index(const Program& program, const std::vector<std::string>& words);
/// Whether all reading commands share this filter: they take it, or refuse it with the reason.
bool is_filter(std::string_view name);
/// `cannot_filter` (usage): why `called` does not take this filter. `why`: as Command::unfiltered.
tl::unexpected<Error> no_such_filter(std::string_view called, std::string_view name, std::string_view why);
/// The pieces between separators, without empty ones.
std::vector<std::string_view> pieces_of(std::string_view text, char separator);

}  // namespace luzia
