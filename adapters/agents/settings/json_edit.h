// Changes single values in a JSON file that a person maintains. All other bytes stay as they are: order,
// indentation, line ends. Pure, one thread per object.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

using OrderedJson = nlohmann::ordered_json;
/// Member names and element indexes, outermost first.
using JsonPath = std::vector<std::string>;

class JsonEdit {
 public:
  /// An empty text counts as an empty object. `bad_settings` (usage) names `file`, line and column if the
  /// text is not plain JSON: comments and trailing commas could not be preserved.
  static Result<JsonEdit> of(std::string text, const std::string& file);

  const std::string& text() const { return text_; }
  /// The current value; null if there is none.
  OrderedJson at(const JsonPath& path) const;

  /// Sets a member of the object at `path`, replacing one of the same name. Creates missing objects on the
  /// way. `bad_settings` (usage) if a value on the way is not an object.
  Status set(const JsonPath& path, const std::string& name, const OrderedJson& value);
  /// Appends an element to the list at `path`; otherwise like set().
  Status append(const JsonPath& path, const OrderedJson& value);
  /// Removes the value at `path`, then each container around it that became empty. No effect if nothing is
  /// there.
  void remove(JsonPath path);

 private:
  struct Span {
    std::size_t begin, end;
  };
  struct Child {
    std::string name;   // of a member; an element's index
    std::size_t start;  // of its name; for an element, of its value
    Span value;
  };
  JsonEdit(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}
  std::size_t skip_space(std::size_t at) const;
  std::size_t value_end(std::size_t at) const;
  std::size_t string_end(std::size_t at) const;
  std::vector<Child> children(Span container) const;
  Span root() const;
  /// An empty span if nothing is there.
  Span find(const JsonPath& path) const;
  Status make(const JsonPath& path, char bracket);
  void insert(Span container, const std::string& before_value, const OrderedJson& value);
  std::string indent_of_line(std::size_t at) const;
  std::string indent_step() const;
  std::string dumped(const OrderedJson& value, const std::string& indent) const;

  std::string text_, file_;
};

}  // namespace luzia
