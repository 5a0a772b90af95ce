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

/// A subcommand: its name, how it is called (after "luzia COMMAND NAME"), how many words it takes after its
/// name.
struct Verb {
  std::string_view name, usage;
  int least = 0, most = 0;  // most -1: any number
  Result<int> (*run)(Invocation&, const Words& words) = nullptr;
  std::string_view options = {};  // long names that it takes, blanks between
  bool needs_store = false;       // as of a Command
  std::string_view summary = {};  // in help
};

/// Runs the subcommand that the first word names; without any word the one called `otherwise`. `bad_usage`
/// (usage): there is none such, it takes more or fewer words, or an option of another one.
Result<int> run_verb(Invocation& invocation, const std::vector<const Verb*>& verbs,
                     std::string_view otherwise);

/// Help on the subcommand of that name, with those options of the command that it takes; nothing: there is
/// none.
std::optional<std::string> verb_help(const Program& program, const Command& command,
                                     const std::vector<const Verb*>& verbs, std::string_view name);

/// All of one table.
std::vector<const Verb*> verbs_of(std::span<const Verb> table);

}  // namespace luzia
