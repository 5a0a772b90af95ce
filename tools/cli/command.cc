#include "tools/cli/command.h"

#include <algorithm>

#include "adapters/config/nearest.h"

namespace luzia {

const Command* find_command(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.commands, name, &Command::name);
  return found == program.commands.end() ? nullptr : *found;
}

std::string nearest_command(const Program& program, std::string_view name) {
  std::vector<std::string> names;
  for (const Command* command : program.commands) {
    if (!command->group.empty()) names.emplace_back(command->name);
  }
  return nearest_name(name, names);
}

tl::unexpected<Error> unknown_command(const Program& program, const std::string& word) {
  const std::string near = nearest_command(program, word);
  return fail(ErrorKind::usage, "bad_usage", "unknown command '" + word + "'",
              near.empty() ? std::string(program.name) + " --help" : "did you mean " + near + "?");
}

std::string_view long_name(const Option& option) {
  return option.names.substr(option.names.find("--") + 2);
}

std::string_view short_name(const Option& option) {
  const std::size_t comma = option.names.find(',');
  return comma == std::string_view::npos ? std::string_view() : option.names.substr(0, comma);
}

const Option* option_awaiting_value(const Program& program, const Command* command, std::string_view word) {
  const auto is_meant = [&](const Option& option) {
    const bool is_long = word.starts_with("--") && word.substr(2) == long_name(option);
    return option.kind != ValueKind::flag && (is_long || (!word.empty() && word == short_name(option)));
  };
  for (const auto& options :
       {command == nullptr ? std::span<const Option>() : command->options, program.common}) {
    const auto found = std::ranges::find_if(options, is_meant);
    if (found != options.end()) return &*found;
  }
  return nullptr;
}

std::size_t command_index(const Program& program, const std::vector<std::string>& words) {
  const auto takes_value = [&](const std::string& word) {
    if (option_awaiting_value(program, nullptr, word) != nullptr) return true;
    return word.starts_with("--") && std::ranges::any_of(program.commands, [&](const Command* command) {
             return option_awaiting_value(program, command, word) != nullptr;
           });
  };
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-')
    at += takes_value(words[at]) ? 2 : 1;
  return at;
}

Result<Chosen> narrowed(const Program& program, Chosen chosen) {
  const Command& command = *chosen.command;
  if (command.parts.empty()) return chosen;
  auto word = chosen.words.begin();
  for (; word != chosen.words.end() && word->starts_with('-'); ++word) {
    const bool has_value =
        option_awaiting_value(program, &command, *word) != nullptr ||
        std::ranges::any_of(
            command.parts,
            [&](const Command& part) { return option_awaiting_value(program, &part, *word) != nullptr; }) ||
        (word->starts_with("--") && is_filter(word->substr(2)));
    if (has_value && std::next(word) != chosen.words.end()) ++word;
  }
  if (word == chosen.words.end()) return chosen;
  const std::string called = std::string(command.name) + " " + *word;
  const auto part = std::ranges::find(command.parts, called, &Command::name);
  if (part == command.parts.end()) {
    std::string known;
    for (const Command& one : command.parts) {
      known.append(known.empty() ? "" : ", ").append(one.name.substr(command.name.size() + 1));
    }
    return fail(ErrorKind::usage, "bad_usage", "cannot " + std::string(command.name) + " '" + *word + "'",
                std::string(program.name) + " " + std::string(command.name) + " takes one of " + known);
  }
  chosen.words.erase(word);
  return Chosen{&*part, std::move(chosen.words)};
}

bool is_filter(std::string_view name) {
  constexpr std::string_view kFilters[] = {"job",   "project", "agent", "tag",
                                           "state", "since",   "until", "limit"};
  return std::ranges::find(kFilters, name) != std::end(kFilters);
}

tl::unexpected<Error> no_such_filter(std::string_view called, std::string_view name, std::string_view why) {
  const std::size_t end = why.find('\n');
  const std::string message = std::string(called).append(" cannot filter by --").append(name);
  return fail(ErrorKind::usage, "cannot_filter", message + ": " + std::string(why.substr(0, end)),
              end == std::string_view::npos ? std::string() : std::string(why.substr(end + 1)));
}

std::vector<std::string_view> pieces_of(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

}  // namespace luzia
