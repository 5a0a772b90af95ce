// Reads members of a JSON object that the older tool (Python) wrote and people edited: numbers may be
// strings. An unreadable value counts as missing and is noted. Private to adapters/older_tool.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

class OlderMembers {
 public:
  using Json = nlohmann::json;

  /// nullopt: not a JSON object. Python's NaN and Infinity become null; unpaired surrogates and bytes that
  /// are not UTF-8 become U+FFFD.
  static std::optional<OlderMembers> parse(std::string_view text);

  std::vector<std::string> names() const;
  bool has(const char* name) const { return find(name) != nullptr; }
  const Json* find(const char* name) const;
  /// A number is accepted as text, as written.
  std::string text(const char* name);
  /// Accepts 7, 7.0, "7" and " 7 "; an empty text counts as missing.
  std::optional<std::int64_t> integer(const char* name);
  /// The same, with an optional fraction.
  std::optional<double> number(const char* name);
  std::optional<int> exit_code(const char* name);
  /// A time as text, unchanged; empty: there is none that parse_older_time() can read.
  std::string moment(const char* name);

  /// The problems: `"pid" is not a whole number`.
  std::vector<std::string> notes() const;
  /// The note about this member, else `otherwise`.
  std::string note_about(const char* name, std::string otherwise) const;

 private:
  explicit OlderMembers(Json object) : object_(std::move(object)) {}
  void note(const char* name, const char* what);

  Json object_;
  std::vector<std::pair<std::string, std::string>> notes_;  // member, what is wrong with it
};

}  // namespace luzia
