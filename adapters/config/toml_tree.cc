#include "adapters/config/toml_tree.h"

#define TOML_EXCEPTIONS 0
// It asserts what only good input has, and refuses the bad one as well without.
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

namespace luzia {
namespace {

TomlPlace place_of(const toml::source_region& source) {
  return {static_cast<std::uint32_t>(source.begin.line), static_cast<std::uint32_t>(source.begin.column)};
}

// toml++ bounds the nesting, so that this ends.
TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.place = place_of(node.source());
  if (const auto* text = node.as_string()) {
    value.kind = TomlKind::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = TomlKind::integer;
    value.integer = integer->get();
    value.real = static_cast<double>(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = TomlKind::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = TomlKind::boolean;
    value.boolean = boolean->get();
  } else if (const auto* array = node.as_array()) {
    value.kind = TomlKind::array;
    for (const toml::node& item : *array) {
      value.items.push_back(convert(item));
    }
  } else if (const auto* table = node.as_table()) {
    for (const auto& [key, child] : *table) {
      value.entries.push_back({std::string(key.str()), place_of(key.source()), convert(child)});
    }
  } else {
    value.kind = TomlKind::time;
  }
  return value;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line;
}

std::string_view kind_name(TomlKind kind) {
  switch (kind) {
    case TomlKind::text:
      return "a string";
    case TomlKind::integer:
      return "a whole number";
    case TomlKind::real:
      return "a number with a fraction";
    case TomlKind::boolean:
      return "true or false";
    case TomlKind::array:
      return "a list";
    case TomlKind::table:
      return "a table";
    case TomlKind::time:
      return "a date or time";
  }
  return "something unknown";
}

Result<TomlValue> parse_toml(std::string_view text, const std::string& file_name) {
  const toml::parse_result parsed = toml::parse(text, file_name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const TomlPlace place = place_of(error.source());
    return fail(ErrorKind::usage, "config_syntax",
                "reading " + file_name + ":" + std::to_string(place.line) + ":" +
                    std::to_string(place.column) + ": not valid TOML: " + one_line(error.description()),
                "mend that line; strings need quotes, durations are strings like \"10m\"");
  }
  return convert(parsed.table());
}

}  // namespace luzia
