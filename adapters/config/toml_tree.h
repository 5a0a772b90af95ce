// Parses TOML into a plain tree with source positions. The only wrapper of toml++, which is slow to compile
// and throws. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// Counted from 1; columns in characters.
struct TomlPlace {
  std::uint32_t line = 0, column = 0;
};

enum class TomlKind { text, integer, real, boolean, array, table, time };

struct TomlEntry;

struct TomlValue {
  TomlKind kind = TomlKind::table;
  TomlPlace place;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;  // set for integers too
  bool boolean = false;
  std::vector<TomlValue> items;
  std::vector<TomlEntry> entries;
};

struct TomlEntry {
  std::string key;
  TomlPlace place;
  TomlValue value;
};

/// "a string", "a whole number", ... for messages.
std::string_view kind_name(TomlKind kind);

/// Text of a file for use in a message: each control character becomes a blank.
std::string one_line(std::string_view text);

/// `config_syntax` (usage) with file:line:column.
Result<TomlValue> parse_toml(std::string_view text, const std::string& file_name);

}  // namespace luzia
