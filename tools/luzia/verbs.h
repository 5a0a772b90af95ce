// Commands with subcommands: `luzia flow create`, `luzia solution search`. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/invocation.h"

namespace luzia {

/// The words after the name of a subcommand.
using Words = std::vector<std::string>;

/// A subcommand: its name, its synopsis (after "luzia COMMAND NAME"), and how many words it takes.
struct Verb {
  std::string_view name, usage;
  int least = 0, most = 0;  // most -1: any number
  Result<int> (*run)(Invocation&, const Words& words) = nullptr;
  std::string_view options = {};  // long names of its options, separated by blanks
  bool needs_store = false;       // as in Command
  std::string_view summary = {};  // in help
};

/// Runs the subcommand that the first word names; without words, the one named `otherwise`. `bad_usage`
/// (usage): unknown subcommand, wrong number of words, or an option of another subcommand.
Result<int> run_verb(Invocation& invocation, const std::vector<const Verb*>& verbs,
                     std::string_view otherwise);

/// Help on the subcommand `name`, with those options of the command that it takes; nullopt: unknown
/// subcommand.
std::optional<std::string> verb_help(const Program& program, const Command& command,
                                     const std::vector<const Verb*>& verbs, std::string_view name);

/// Pointers to all subcommands of a table.
std::vector<const Verb*> verbs_of(std::span<const Verb> table);

/// The run() of a command whose subcommands are the table `kVerbs`; without words, the one named list.
template <const auto& kVerbs>
Result<int> run_verbs(Invocation& invocation) {
  return run_verb(invocation, verbs_of(kVerbs), "list");
}

}  // namespace luzia
