// One line of output as JSON. A value is read without exceptions: what is missing, null or of another type
// than asked for reads as nothing, so that a new release of an agent can change a field without harm. Pure,
// any thread.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ports/line_decoder.h"

namespace luzia {

/// A value within a JsonLine, or none. Valid as long as the line that it came from.
class JsonValue {
 public:
  JsonValue() = default;
  explicit JsonValue(simdjson::dom::element element) : element_(element) {}

  /// A member of an object; none where this is no object or has no such member.
  JsonValue operator[](std::string_view key) const;
  /// There is a value, and not null.
  bool present() const { return element_ && !element_->is_null(); }
  bool is_object() const { return element_ && element_->is_object(); }
  bool is_array() const { return element_ && element_->is_array(); }
  bool is_text() const { return element_ && element_->is_string(); }
  /// Valid UTF-8; empty if it is no string.
  std::string_view text() const;
  bool is(std::string_view text) const { return is_text() && this->text() == text; }
  /// What is counted: 0 if it is no number or below 0; at most 10^15.
  std::uint64_t count() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  /// True only if it is the value true.
  bool flag() const;
  /// As compact JSON.
  std::string json() const;

  /// Calls `visit(JsonValue)` for the elements of an array, or `visit(JsonValue)` for the values of an
  /// object, the first `at_most` of them.
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

/// A line that is a JSON object. Ill-formed UTF-8 and halves of surrogate pairs (agents that cut text by
/// UTF-16 units print them) read as U+FFFD. Of a cut line, what was complete when it was cut counts, and a
/// string that the cut went through: its object is closed there. Costs a copy of the line and memory of about
/// 15 times its length while it lives; nothing is kept between lines, for findings are made on any worker.
class JsonLine {
 public:
  explicit JsonLine(const Line& line);
  JsonLine(const JsonLine&) = delete;
  JsonLine& operator=(const JsonLine&) = delete;

  /// None if the line is no JSON object.
  JsonValue object() const { return object_; }
  /// What is missing may have stood behind the cut.
  bool cut() const { return cut_; }

 private:
  bool parse();

  bool cut_;
  std::string bytes_;
  simdjson::dom::parser parser_;
  JsonValue object_;
};

/// `text`, the beginning of a JSON text, with everything closed that is open at its end; a member or a
/// literal of which only a part is there is left out.
std::string close_json(std::string_view text);

/// Halves of surrogate pairs and ill-formed UTF-8 replaced.
std::string repaired_json(std::string_view text);

}  // namespace luzia
