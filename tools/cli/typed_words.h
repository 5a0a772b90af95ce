// Which words of a command line are options, and which values they have. Nothing is checked. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace luzia {

struct TypedWords {
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // by long name; "true" of a flag
  std::vector<std::string> others;                                      // in order; unknown options too
};

/// A text like "- do this" is a task, not an option.
bool looks_like_option(const std::string& word);

/// The words before "--". nullopt: they cannot be read.
std::optional<TypedWords> typed_words(const Program& program, const Command& command,
                                      std::span<const std::string> words);

/// The same for words of which each option is written as --name or --name=value, as programs and most people
/// write it, in a tenth of the time. nullopt: others are among them, or they cannot be read.
std::optional<TypedWords> plain_words(const Program& program, const Command& command,
                                      std::span<const std::string> words);
/// The same for all ways to write options. Absent options have no values.
std::optional<TypedWords> parsed_words(const Program& program, const Command& command,
                                       std::span<const std::string> words);

}  // namespace luzia
