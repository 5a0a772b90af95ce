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

/// Words of which each option is written as --name or --name=value, as most are. A tenth of a parser's time.
/// nullopt: others are among them.
std::optional<TypedWords> plain_words(const OptionTables& tables, std::span<const std::string> words) {
  TypedWords typed;
  for (const std::string& word : words) {
    if (!looks_like_option(word)) {
      typed.others.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool has_value = equals != std::string::npos;
    const Option* const option = option_named(tables, std::string_view(word).substr(0, equals));
    if (option == nullptr || (option->kind == ValueKind::flag) == has_value) return std::nullopt;
    std::vector<std::string>& values = typed.values[std::string(long_name(*option))];
    if (!has_value) values.clear();
    values.push_back(has_value ? word.substr(equals + 1) : "true");
  }
  return typed;
}

/// All other ways to write options.
std::optional<TypedWords> parsed_words(const OptionTables& tables, std::span<const std::string> words) {
  TypedWords typed;
  CLI::App app;
  app.set_help_flag();
  // We sort out other words ourselves: CLI11 would parse "[text]" in them as a list.
  app.allow_extras();
  std::map<std::string, std::size_t, std::less<>> flags;
  for (const auto& options : tables) {
    for (const Option& option : options) {
      const std::string name(long_name(option));
      if (option.kind == ValueKind::flag) {
        app.add_flag(std::string(option.names), flags[name]);
      } else {
        app.add_option(std::string(option.names), typed.values[name])->allow_extra_args(false);
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
  return typed;
}

}  // namespace

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word[1] != ' ';
}

std::optional<TypedWords> typed_words(const Program& program, const Command& command,
                                      std::span<const std::string> words) {
  const OptionTables tables{command.options, program.common};
  if (auto plain = plain_words(tables, words)) return plain;
  return parsed_words(tables, words);
}

}  // namespace luzia
