// One line of output as JSON, read without exceptions. A missing value, null or a value of another type reads
// as empty, so a new release of an agent can change a field without harm. Pure, any thread.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ports/line_decoder.h"

namespace luzia {

/// A value within a JsonLine, or none. Valid as long as its JsonLine.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(simdjson::dom::element element) : element_(element) {}

  /// A member of an object; none if this is not an object or has no such member.
  JsonValue operator[](std::string_view key) const;
  /// Whether there is a value other than null.
  bool present() const { return element_ && !element_->is_null(); }
  bool is_object() const { return element_ && element_->is_object(); }
  bool is_array() const { return element_ && element_->is_array(); }
  bool is_text() const { return element_ && element_->is_string(); }
  /// Valid UTF-8; empty if the value is not a string.
  std::string_view text() const;
  bool is(std::string_view text) const { return is_text() && this->text() == text; }
  /// A count: 0 if the value is not a number or is negative; capped at 10^15.
  std::uint64_t count() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  /// True only if the value is `true`.
  bool flag() const;
  /// As compact JSON.
  std::string json() const;

  /// Calls `visit(JsonValue)` for the first `at_most` elements of an array or values of an object.
  template <class Visit>
  void each(std::size_t at_most, Visit visit) const {
    std::size_t seen = 0;
    simdjson::dom::array elements;
    if (element_ && element_->get(elements) == simdjson::SUCCESS) {
      for (const simdjson::dom::element element : elements) {
        if (seen++ == at_most) return;
        visit(JsonValue(element));
      }
    }
    each_member(at_most, [&visit](std::string_view, JsonValue value) { visit(value); });
  }
  /// Calls `visit(key, value)` for the first `at_most` members of an object.
  template <class Visit>
  void each_member(std::size_t at_most, Visit visit) const {
    std::size_t seen = 0;
    simdjson::dom::object members;
    if (!element_ || element_->get(members) != simdjson::SUCCESS) return;
    for (const auto member : members) {
      if (seen++ == at_most) return;
      visit(member.key, JsonValue(member.value));
    }
  }

 private:
  std::optional<simdjson::dom::element> element_;
};

/// A line that is a JSON object. Ill-formed UTF-8 and unpaired surrogates read as U+FFFD; agents that cut
/// text by UTF-16 units print such halves. A line that was cut is closed at the cut: complete members count,
/// and so does a string that the cut went through. While it lives it holds a copy of the line and about 15
/// times the line's length in memory. Nothing is kept between lines, because any worker may decode any line.
class JsonLine {
 public:
  explicit JsonLine(const Line& line);
  JsonLine(const JsonLine&) = delete;
  JsonLine& operator=(const JsonLine&) = delete;

  /// None if the line is not a JSON object.
  JsonValue object() const { return object_; }
  /// Whether the line was cut: a missing member may have been behind the cut.
  bool cut() const { return cut_; }

 private:
  bool parse();

  bool cut_;
  std::string bytes_;
  simdjson::dom::parser parser_;
  JsonValue object_;
};

/// Returns `text`, the beginning of a JSON text, with all open strings, arrays and objects closed. Drops a
/// partial member name or literal at the end.
std::string close_json(std::string_view text);

/// Returns the text with unpaired surrogates and ill-formed UTF-8 replaced.
std::string repaired_json(std::string_view text);

}  // namespace luzia
