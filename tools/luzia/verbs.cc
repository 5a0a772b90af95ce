#include "tools/luzia/verbs.h"

#include "adapters/config/nearest.h"

namespace luzia {
namespace {

/// Refuses options of other subcommands, which would be ignored silently.
Status check_options(const Invocation& invocation, const Verb& verb) {
  const std::string command = std::string(invocation.command().name) + " " + std::string(verb.name);
  const std::string taken = " " + std::string(verb.options) + " ";
  for (const Option& option : invocation.command().options) {
    const std::string name(long_name(option));
    if (!invocation.args().has(name) || taken.find(" " + name + " ") != std::string::npos) continue;
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

}  // namespace

Result<int> run_verb(Invocation& invocation, const std::vector<const Verb*>& verbs,
                     std::string_view otherwise) {
  const auto& words = invocation.args().positionals();
  const std::string name = words.empty() ? std::string(otherwise) : words.front();
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  for (const Verb* verb : verbs) {
    if (verb->name != name) continue;
    if (const Status fits = check_options(invocation, *verb); !fits) return tl::unexpected(fits.error());
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
