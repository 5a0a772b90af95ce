// Changes single places of a JSON file that a person keeps; every other byte stays as it is: order, indents,
// line ends. Pure, one thread per object.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

using OrderedJson = nlohmann::ordered_json;
/// Names of members and indexes of elements, from the outside in.
using JsonPath = std::vector<std::string>;

class JsonEdit {
 public:
  /// An empty text counts as an empty object. `bad_settings` (usage) names `file`, line and column of what is
  /// no plain JSON: comments and trailing commas could not be kept.
  static Result<JsonEdit> of(std::string text, const std::string& file);

  const std::string& text() const { return text_; }
  /// The value as it now is; null where there is none.
  OrderedJson at(const JsonPath& path) const;

  /// Puts a member into the object at `path`, in place of one of the same name. Objects that are missing on
  /// the way are made; `bad_settings` (usage) where something else stands there.
  Status set(const JsonPath& path, const std::string& name, const OrderedJson& value);
  /// Puts an element at the end of the list at `path`, alike.
  Status append(const JsonPath& path, const OrderedJson& value);
  /// Takes out what stands at `path`, and what then is empty around it. Nothing happens where there is
  /// nothing.
  void remove(JsonPath path);

 private:
  struct Span {
    std::size_t begin, end;
  };
  struct Child {
    std::string name;   // of a member; of an element its index
    std::size_t start;  // of its name, or of the value of an element
    Span value;
  };
  JsonEdit(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}
  std::size_t skip_space(std::size_t at) const;
  std::size_t value_end(std::size_t at) const;
  std::size_t string_end(std::size_t at) const;
  std::vector<Child> children(Span container) const;
  Span root() const;
  /// An empty span where there is none.
  Span find(const JsonPath& path) const;
  Status make(const JsonPath& path, char bracket);
  void insert(Span container, const std::string& before_value, const OrderedJson& value);
  std::string indent_of_line(std::size_t at) const;
  std::string indent_step() const;
  std::string dumped(const OrderedJson& value, const std::string& indent) const;

  std::string text_, file_;
};

}  // namespace luzia
