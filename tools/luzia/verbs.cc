#include "tools/luzia/verbs.h"

#include <algorithm>

#include "adapters/config/nearest.h"
#include "engine/base/try.h"
#include "tools/cli/help.h"

namespace luzia {
namespace {

/// Refuses options of other subcommands, which would be ignored silently.
Status check_options(const Invocation& invocation, const Verb& verb) {
  const std::string command = std::string(invocation.command().name) + " " + std::string(verb.name);
  const std::string taken = " " + std::string(verb.options) + " ";
  for (const Option& option : invocation.command().options) {
    const std::string name(long_name(option));
    if (!invocation.args().has(name) || taken.find(" " + name + " ") != std::string::npos) continue;
    const std::string_view why = invocation.command().unfiltered;
    if (!why.empty() && is_filter(name)) return no_such_filter(command, name, why);
    return fail(ErrorKind::usage, "bad_usage", command + " takes no --" + name,
                "luzia " + command + " " + std::string(verb.usage));
  }
  return {};
}

tl::unexpected<Error> unknown_verb(const Invocation& invocation, const std::vector<const Verb*>& verbs,
                                   const std::string& word) {
  const std::string command(invocation.command().name);
  std::vector<std::string> names;
  std::string all;
  for (const Verb* verb : verbs) {
    names.emplace_back(verb->name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const std::string near = nearest_name(word, names);
  return fail(ErrorKind::usage, "bad_usage", command + ": unknown action '" + word + "'",
              near.empty() ? "known actions: " + all : "did you mean luzia " + command + " " + near + "?");
}

bool has_word(std::string_view list, char separator, std::string_view word) {
  for (std::string_view piece : pieces_of(list, separator)) {
    while (piece.starts_with(' ')) piece.remove_prefix(1);
    if (piece == word) return true;
  }
  return false;
}

/// Of "add: a word; list, search: only with it" what is said of that subcommand; the whole where nothing is.
std::string help_for(std::string_view help, std::string_view verb) {
  std::string said;
  for (std::string_view part : pieces_of(help, ';')) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    const std::size_t colon = part.find(": ");
    if (colon == std::string_view::npos || !has_word(part.substr(0, colon), ',', verb)) continue;
    said += (said.empty() ? "" : "; ") + std::string(part.substr(colon + 2));
  }
  return said.empty() ? std::string(help) : said;
}

std::string examples_for(const Command& command, std::string_view called) {
  std::string examples;
  for (const std::string_view line : pieces_of(command.examples, '\n')) {
    if (line.starts_with("luzia " + std::string(called) + " ")) examples += std::string(line) + "\n";
  }
  return examples;
}

}  // namespace

std::optional<std::string> verb_help(const Program& program, const Command& command,
                                     const std::vector<const Verb*>& verbs, std::string_view name) {
  const auto verb = std::ranges::find(verbs, name, &Verb::name);
  if (verb == verbs.end()) return std::nullopt;
  const std::string called = std::string(command.name) + " " + std::string(name);
  const std::string examples = examples_for(command, called);
  std::vector<std::string> helps;
  helps.reserve(command.options.size());  // the options point into it
  std::vector<Option> options;
  for (const Option& option : command.options) {
    if (!has_word((*verb)->options, ' ', long_name(option))) continue;
    helps.push_back(help_for(option.help, name));
    options.push_back(option);
    options.back().help = helps.back();
  }
  Command shown = command;
  shown.name = called;
  shown.synopsis = (*verb)->usage;
  shown.summary = (*verb)->summary;
  shown.description = {};
  shown.examples = examples;
  shown.options = options;
  return command_help(program, shown);
}

Result<int> run_verb(Invocation& invocation, const std::vector<const Verb*>& verbs,
                     std::string_view otherwise) {
  const auto& words = invocation.args().positionals();
  const std::string name = words.empty() ? std::string(otherwise) : words.front();
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  for (const Verb* verb : verbs) {
    if (verb->name != name) continue;
    LUZIA_TRY(check_options(invocation, *verb));
    const auto count = static_cast<int>(rest.size());
    if (verb->needs_store) invocation.create_nothing();
    if (count >= verb->least && (verb->most < 0 || count <= verb->most)) return verb->run(invocation, rest);
    const std::string called = std::string(invocation.command().name) + " " + name;
    return fail(ErrorKind::usage, "bad_usage",
                called + (count < verb->least ? " needs " + missing_words(verb->usage, rest.size())
                                              : ": too many words"),
                "luzia " + called + " " + std::string(verb->usage));
  }
  return unknown_verb(invocation, verbs, name);
}

std::vector<const Verb*> verbs_of(std::span<const Verb> table) {
  std::vector<const Verb*> verbs;
  for (const Verb& verb : table) verbs.push_back(&verb);
  return verbs;
}

}  // namespace luzia
