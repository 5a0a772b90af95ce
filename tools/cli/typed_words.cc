#include "tools/cli/typed_words.h"

#include <CLI/CLI.hpp>
#include <array>

namespace luzia {
namespace {

using OptionTables = std::array<std::span<const Option>, 2>;

/// The option that a word names in full; null: none.
const Option* option_named(const OptionTables& tables, std::string_view word) {
  if (!word.starts_with("--")) return nullptr;
  for (const auto& options : tables) {
    for (const Option& option : options) {
      if (long_name(option) == word.substr(2)) return &option;
    }
  }
  return nullptr;
}

OptionTables tables_of(const Program& program, const Command& command) {
  return {command.options, program.common};
}

}  // namespace

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word[1] != ' ';
}

std::optional<TypedWords> plain_words(const Program& program, const Command& command,
                                      std::span<const std::string> words) {
  const OptionTables tables = tables_of(program, command);
  TypedWords typed;
  for (const std::string& word : words) {
    if (!looks_like_option(word)) {
      typed.others.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool has_value = equals != std::string::npos;
    const Option* const option = option_named(tables, std::string_view(word).substr(0, equals));
    // Behind "--name=" the parser takes the next word for the value.
    if (option == nullptr || (option->kind == ValueKind::flag) == has_value || equals + 1 == word.size())
      return std::nullopt;
    std::vector<std::string>& values = typed.values[std::string(long_name(*option))];
    if (!has_value) values.clear();
    values.push_back(has_value ? word.substr(equals + 1) : "true");
  }
  return typed;
}

std::optional<TypedWords> parsed_words(const Program& program, const Command& command,
                                       std::span<const std::string> words) {
  TypedWords typed;
  CLI::App app;
  app.set_help_flag();
  // We sort out other words ourselves: CLI11 would parse "[text]" in them as a list.
  app.allow_extras();
  std::map<std::string, std::size_t, std::less<>> flags;
  std::map<std::string, const CLI::Option*, std::less<>> valued;
  for (const auto& options : tables_of(program, command)) {
    for (const Option& option : options) {
      const std::string name(long_name(option));
      if (option.kind == ValueKind::flag) {
        app.add_flag(std::string(option.names), flags[name]);
      } else {
        valued[name] = app.add_option(std::string(option.names), typed.values[name])->allow_extra_args(false);
      }
    }
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  }
  typed.others = app.remaining();
  for (const auto& [name, count] : flags) {
    if (count > 0) typed.values[name] = {"true"};
  }
  // As they were typed: converted, "{}" would be an empty list.
  for (const auto& [name, option] : valued) typed.values[name] = option->results();
  std::erase_if(typed.values, [](const auto& entry) { return entry.second.empty(); });
  return typed;
}

std::optional<TypedWords> typed_words(const Program& program, const Command& command,
                                      std::span<const std::string> words) {
  if (auto plain = plain_words(program, command, words)) return plain;
  return parsed_words(program, command, words);
}

}  // namespace luzia
