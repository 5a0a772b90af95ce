// Reading members of one JSON object of the older tool, which Python wrote and people edited: numbers may be
// strings. What cannot be read is nothing, and noted. Private to adapters/older_tool.
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

  /// nullopt: not a JSON object. Python's NaN and Infinity are null; halves of a surrogate pair and bytes
  /// that are no UTF-8 are U+FFFD.
  static std::optional<OlderMembers> parse(std::string_view text);

  std::vector<std::string> names() const;
  bool has(const char* name) const { return find(name) != nullptr; }
  const Json* find(const char* name) const;
  /// A number where a text is wanted is taken as it is written.
  std::string text(const char* name);
  /// 7, 7.0, "7" and " 7 "; an empty text is nothing.
  std::optional<std::int64_t> integer(const char* name);
  /// With a fraction, too.
  std::optional<double> number(const char* name);
  std::optional<int> exit_code(const char* name);
  /// A time as it is written, as a text; empty: there is none that parse_older_time() can read.
  std::string moment(const char* name);

  /// What could not be read: `"pid" is not a whole number`.
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
