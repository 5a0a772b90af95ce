// Writes a JSON object field by field, with the conventions of all shapes that users see: times in RFC 3339,
// null for unset values, seconds as numbers. One thread at a time.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/time.h"
#include "engine/event/event.h"
#include "projections/rows/json_writer.h"

namespace luzia {

/// Opens the object at construction. take() closes and returns it. end() closes what begin() opened, or an
/// object that is written to a string of the caller.
class JsonObject {
 public:
  /// `bytes`: how long the object is likely to get.
  explicit JsonObject(std::size_t bytes = 0) : json_(own_) {
    own_.reserve(bytes);
    json_.begin_object();
  }
  explicit JsonObject(std::string& out) : json_(out) { json_.begin_object(); }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  JsonWriter& at(std::string_view key) {
    json_.key(key);
    return json_;
  }
  void text(std::string_view key, std::string_view value) { at(key).text(value); }
  void text(std::string_view key, const flatbuffers::String* value) { at(key).text(luzia::text(value)); }
  void text_or_null(std::string_view key, std::string_view value) { at(key).text_or_null(value); }
  void text_or_null(std::string_view key, const flatbuffers::String* value) {
    at(key).text_or_null(luzia::text(value));
  }
  /// Writes null for an optional without a value.
  void number(std::string_view key, const auto& value) {
    if constexpr (requires { value.has_value(); }) {
      optional(key, value);
    } else {
      at(key).number(value);
    }
  }
  /// Writes null for 0, which means not yet or none.
  void number_or_null(std::string_view key, auto value) {
    if (value == 0) {
      at(key).null();
    } else {
      number(key, value);
    }
  }
  /// Writes null if there is no value; for optional numbers of any kind.
  void optional(std::string_view key, const auto& value) { value ? at(key).number(*value) : at(key).null(); }
  void boolean(std::string_view key, bool value) { at(key).boolean(value); }
  void time(std::string_view key, TimeUs value) {
    at(key).text_or_null(value == 0 ? std::string() : format_rfc3339(value));
  }
  /// The same, then in microseconds for scripts that calculate.
  void time(std::string_view key, std::string_view us_key, TimeUs value) {
    this->time(key, value);
    number(us_key, value);
  }
  void seconds(std::string_view key, std::integral auto duration) {
    number(key, static_cast<double>(duration) / kSecondUs);
  }
  void strings(std::string_view key,
               const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* values) {
    at(key).begin_array();
    if (values) {
      for (const auto* value : *values) json_.text(value->string_view());
    }
    json_.end_array();
  }
  void strings(std::string_view key, const std::vector<std::string>& values) {
    at(key).begin_array();
    for (const std::string& value : values) json_.text(value);
    json_.end_array();
  }
  /// An array of what `json` makes of each item, which is JSON already.
  void array(std::string_view key, const auto& items, auto json) {
    at(key).begin_array();
    for (const auto& item : items) json_.raw(json(item));
    json_.end_array();
  }
  /// An array with an object for each item; `write` gets this object, to write the fields, and the item.
  void objects(std::string_view key, const auto& items, auto write) {
    at(key).begin_array();
    for (const auto& item : items) {
      json_.begin_object();
      write(*this, item);
      json_.end_object();
    }
    json_.end_array();
  }
  void begin(std::string_view key) { at(key).begin_object(); }
  void end() { json_.end_object(); }
  std::string take() {
    end();
    return std::move(own_);
  }

 private:
  std::string own_;
  JsonWriter json_;
};

}  // namespace luzia
