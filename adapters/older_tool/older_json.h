// Reading members of one JSON object of the older tool; the first that is wrong is kept. Private to
// adapters/older_tool.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

class OlderMembers {
 public:
  using Json = nlohmann::json;

  /// nullopt: not a JSON object.
  static std::optional<OlderMembers> parse(std::string_view text);

  bool has(const char* name) const { return find(name) != nullptr; }
  const Json* find(const char* name) const;
  /// A number where a text is wanted is taken as it is written.
  std::string text(const char* name);
  std::optional<std::int64_t> integer(const char* name);
  /// A text or a number, as a text; for times.
  std::string moment(const char* name);
  const std::string& wrong() const { return wrong_; }

 private:
  explicit OlderMembers(Json object) : object_(std::move(object)) {}
  void expected(const char* name, const char* what);

  Json object_;
  std::string wrong_;
};

}  // namespace luzia
